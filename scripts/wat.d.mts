export function watSources(): readonly string[]
export function moduleOf(source: string): string
export function compiled(source: string): Promise<string>
