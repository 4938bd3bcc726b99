"""Logs of sessions: what was said and done, in every format that is read here, as one model of events.

In: log files of DSH, IPython, Jupyter, Claude Code and Codex. Out: events, conversations. Never: a write to a log, a
lock on it, a file kept whole in memory.
"""
