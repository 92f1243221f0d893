/** ClickHouse did not answer, or refused: what it said, and where it was looked for. */
export class ClickhouseFailure extends Error {}
