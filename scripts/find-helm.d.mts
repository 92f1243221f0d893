export function findHelm(): string | undefined
