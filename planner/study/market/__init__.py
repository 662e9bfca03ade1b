"""Every way to do one piece of work: each accelerator, each number, rented, bought or there already."""
