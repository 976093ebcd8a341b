"""An independent, slow and plain evaluator of METHODS: a tape in, every exported table out.

Nothing here shares a line with the warehouse: amounts are Python integers, splits are Fractions
and each rule names the section of METHODS it restates. The golden examples pin the evaluator by
hand; the conformance tests then hold the warehouse against it on tapes nobody worked out by hand.
"""
