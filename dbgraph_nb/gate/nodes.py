"""The kinds of tree nodes that a read may consist of.

In: nothing. Out: sets of sqlglot class names. Never: a kind that changes data or state; a kind that is not listed, such
as one of a later sqlglot, is refused. Functions are judged by name in ``functions``, not here.
"""

from __future__ import annotations

from typing import Final

from dbgraph_nb.gate.words import words

QUERIES: Final = words("""
    Select Union Intersect Except Subquery Values Pivot Summarize Describe Table
    """)

READS: Final = QUERIES | words("""
    Add Adjacent Alias Aliases All Any AtIndex AtTimeZone Between BitString BitwiseAnd BitwiseLeftShift BitwiseNot
    BitwiseOr BitwiseRightShift BitwiseXor Boolean Bracket ByteString CTE CharacterSet Column ColumnConstraint
    ColumnDef Comprehension Cube DPipe DataType DataTypeParam Distance DistanceNd Distinct Div Dot EQ Escape
    ExtendsLeft ExtendsRight Fetch Filter ForIn FormatJson FormatPhrase From GT GTE Glob Group GroupingSets Having
    HavingMax HexString HistoricalData ILike Identifier IgnoreNulls In IndexTableHint IntDiv Interval IntervalSpan
    Introducer Is JSON JSONColumnDef JSONExtractQuote JSONKeyValue JSONPath JSONPathFilter JSONPathKey JSONPathPart
    JSONPathRecursive JSONPathRoot JSONPathScript JSONPathSelector JSONPathSlice JSONPathSubscript JSONPathUnion
    JSONPathWildcard JSONSchema JSONValue Join Kwarg LT LTE Lambda Lateral Like Limit LimitOptions Literal Match Mod
    Mul NEQ National Neg Not Null NullSafeEQ NullSafeNEQ ObjectIdentifier Offset OnCondition Operator Order Ordered
    Overlaps OverflowTruncateBehavior Parameter Paren Partition PartitionByExcluding PathColumnConstraint Pivot
    PivotAlias PivotAny Placeholder PositionalColumn ProjectionDef PropertyEQ Pseudocolumn PseudoType Qualify
    RawString RecursiveWithSearch RespectNulls Rollup SessionParameter SimilarTo Slice Star Sub TableAlias
    TableColumn TableFromRows TableSample Tuple Unary UnicodeString UnpivotColumns Var Variadic Version Where Window
    WindowSpec With WithinGroup XMLKeyValueOption XMLNamespace
    """)

WRITE_ROOTS: Final = words("""
    Insert Update Delete Merge Create Drop Alter TruncateTable
    """)

WRITES: Final = (
    READS
    | WRITE_ROOTS
    | words("""
    AddConstraint AlterColumn AlterRename AutoIncrementColumnConstraint CheckColumnConstraint
    CollateColumnConstraint ColumnConstraint ColumnPosition CommentColumnConstraint ComputedColumnConstraint
    Constraint DefaultColumnConstraint ForeignKey GeneratedAsIdentityColumnConstraint Index IndexParameters
    NotNullColumnConstraint OnConflict PrimaryKey PrimaryKeyColumnConstraint Properties Reference RenameColumn
    Returning Schema SequenceProperties TemporaryProperty UniqueColumnConstraint When Whens
    """)
)

# What is said of nodes that write; others are only unknown.
CHANGES: Final = WRITE_ROOTS | words("""
    Command Copy Set Use Attach Detach Install Call Transaction Commit Kill
    """)
