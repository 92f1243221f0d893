export function thisArchitecture(): string
export function parsePlatforms(text: string): string[]
