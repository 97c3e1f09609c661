"""The report of an event: one page that opens anywhere, made of nothing but the results directory.

Pure but for reading that directory (`played`): the same directory gives the same page, byte by byte.
"""
