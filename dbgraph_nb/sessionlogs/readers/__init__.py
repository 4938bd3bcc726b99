"""Readers of logs, one format a file; each offers what ``reading.Reader`` says.

In: folders and files of a format. Out: sessions, events. Never: a word of a log that is taken for a command.
"""
