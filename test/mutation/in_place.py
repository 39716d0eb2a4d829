#!/usr/bin/env python3
"""Plants reads of overwritten elements into modules, and counts how many are found.

  read-reversed       an elementwise fusion reads the operand that it overwrites reversed
  read-transposed     or with two dimensions of one size exchanged
  read-shifted        or one element further in some dimension
  window-reversed     a fusion that updates its operand in place writes the window that it
                      replaces, reversed in some dimension
  window-moved        or another window of the operand that overlaps the one it writes
  taken-over          the result of a matrix product, a fused or plain transpose, a
                      collective, .. has the place of an operand that ends there

The first five are edits of fused computations, which no dump holds; the last one moves a
value in all sections. Left out are fusions whose emitters go through tiles (kOutput,
kCustom) unless they update their operand, fusions that hand the operand on, windows of
one element, and places that are not free. A fault counts as found if the check
in-place-hazard says something; what it did not check is not enough.
"""

import sys

import consistent
import plant_reads

if __name__ == "__main__":
    consistent.KINDS = plant_reads.KINDS
    sys.exit(consistent.run(consistent.arguments(__doc__, checks="in-place-hazard")))
