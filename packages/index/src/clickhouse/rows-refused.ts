/** ClickHouse answered that it cannot read a row of an insert: sending it again would not help. */
export class RowsRefused extends Error {}
