export function pluginFiles(): { readonly path: string; readonly content: Buffer; readonly mode: number }[]
