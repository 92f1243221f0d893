export function wordFolders(): string[]
export function slowWords(folder: string): string[]
