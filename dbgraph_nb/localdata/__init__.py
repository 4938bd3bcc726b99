"""Local files as relations: which formats there are, and under which names files are mounted.

In: paths of a workspace, as a user wrote them. Out: names, the SQL that reads each file, open files. Never: a file
outside of the workspace, a statement of a user.
"""
