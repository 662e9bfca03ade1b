// Every chart as a file, PNG or SVG: above it the page's title and its finding, below it plan, day and sources.
(() => {
  const SVG = "http://www.w3.org/2000/svg", KINDS = ["PNG", "SVG"], SCALE = 2, MARGIN = 24, LINE = 21;
  const text = (which) => document.querySelector(which)?.textContent.replace(/\s+/g, " ").trim() || "";
  const node = (name, attributes, content = "") => {
    const made = document.createElementNS(SVG, name);
    Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
    made.textContent = content;
    return made;
  };
  // Break a text into lines of the width of the chart.
  const lines = (words, width, font) => {
    const pen = document.createElement("canvas").getContext("2d"), broken = [""];
    pen.font = font;
    words.split(" ").forEach((word) => {
      const longer = `${broken.at(-1)} ${word}`.trim();
      if (pen.measureText(longer).width <= width) broken[broken.length - 1] = longer;
      else broken.push(word);
    });
    return broken;
  };
  // The page's own font goes into the file: elsewhere it is not there, and another is wider.
  const font = async (family) => {
    const faces = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])
      .filter((rule) => rule instanceof CSSFontFaceRule && family.startsWith(rule.style.getPropertyValue("font-family")));
    const face = faces.find((rule) => rule.style.getPropertyValue("font-style") !== "italic");
    if (!face) return "";
    const [, address] = face.cssText.match(/url\("(.*?)"\)/), base = face.parentStyleSheet.href || location.href;
    const file = await (await fetch(new URL(address, base))).blob();
    const data = await new Promise((done) => {
      const reader = Object.assign(new FileReader(), { onload: () => done(reader.result) });
      reader.readAsDataURL(file);
    });
    return face.cssText.replace(address, data);
  };
  const picture = async (chart) => {
    const layers = [...chart.querySelectorAll(".main-svg")], style = getComputedStyle(chart);
    const [wide, high] = ["width", "height"].map((side) => Number(layers[0].getAttribute(side)));
    const look = { fill: style.color, "font-family": style.fontFamily };
    const block = (words, size, weight, y) => {
      const rows = lines(words, wide, `${weight} ${size}px ${style.fontFamily}`), group = node("g", look);
      rows.forEach((row, at) => group.append(
        node("text", { x: MARGIN, y: y + LINE * (at + 1), "font-size": size, "font-weight": weight }, row)));
      return [group, y + LINE * rows.length];
    };
    const [title, under] = block(text("h1"), 18, 600, MARGIN / 2);
    const [finding, top] = block(chart.closest("[role=figure]").getAttribute("aria-label"), 14, 400, under);
    const [credit, end] = block(text(".st-key-chart-credit p"), 12, 400, top + MARGIN / 2 + high);
    const size = { width: wide + 2 * MARGIN, height: end + MARGIN };
    const whole = node("svg", { xmlns: SVG, ...size, viewBox: `0 0 ${size.width} ${size.height}` });
    whole.append(node("rect", { ...size, fill: getComputedStyle(document.querySelector(".stApp")).backgroundColor }));
    layers.forEach((layer) => {
      const copy = layer.cloneNode(true);
      copy.querySelectorAll(".hoverlayer").forEach((part) => part.remove());
      Object.entries({ x: MARGIN, y: top + MARGIN / 2, width: wide, height: high }).forEach((at) => copy.setAttribute(...at));
      whole.append(copy);
    });
    whole.append(title, finding, credit, node("style", {}, await font(style.fontFamily)));
    return [new Blob([new XMLSerializer().serializeToString(whole)], { type: "image/svg+xml" }), size];
  };
  const drawn = async (svg, size) => {
    const image = new Image(), paper = document.createElement("canvas");
    image.src = URL.createObjectURL(svg);
    await image.decode();
    Object.assign(paper, { width: size.width * SCALE, height: size.height * SCALE });
    paper.getContext("2d").drawImage(image, 0, 0, paper.width, paper.height);
    URL.revokeObjectURL(image.src);
    return new Promise((done) => paper.toBlob(done, "image/png"));
  };
  const save = (file, name) => {
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  };
  // chart-ranges-fleet-2027-2026-11-25.png, as the files that the server makes are named.
  const nameOf = (box, kind) => {
    const key = [...box.classList].find((name) => name.startsWith("st-key-"))?.slice(7);
    return `${[key || "chart", text(".st-key-chart-credit code")].filter(Boolean).join("-")}.${kind.toLowerCase()}`;
  };
  const take = async (kind, box) => {
    const [svg, size] = await picture(box.querySelector(".js-plotly-plot"));
    save(kind === "SVG" ? svg : await drawn(svg, size), nameOf(box, kind));
  };
  const offer = () => document.querySelectorAll('[data-testid="stElementContainer"]:has(.main-svg)').forEach((box) => {
    if (box.querySelector(".chart-files")) return;
    const row = Object.assign(document.createElement("div"), { className: "chart-files" });
    KINDS.forEach((kind) => {
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: kind });
      button.setAttribute("aria-label", `Save this chart as ${kind}`);
      button.addEventListener("click", () => take(kind, box));
      row.append(button);
    });
    box.append(row);
  });
  let waiting = false;
  new MutationObserver(() => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; offer(); });
  }).observe(document, { childList: true, subtree: true });
})();
