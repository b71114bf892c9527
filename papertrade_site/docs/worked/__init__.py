"""Worked examples for the pages of concepts: round inputs, and the very arithmetic that the tools use.

What the venue can change (bust buffer, impact, fee, mint curve) is as it is now; every figure is text. What a
step works out has all digits of a result, so that the next one can be checked.
"""
