export const publicNames: Readonly<
  Record<'repository' | 'npm' | 'image' | 'charts' | 'mcp' | 'homebrewTap' | 'maintainers', string>
>
export function placeholders(names?: Readonly<Record<string, string>>): string[]
export function publicLinks(names?: { readonly repository: string }): {
  readonly homepage: string
  readonly repository: { readonly type: string; readonly url: string }
  readonly bugs: { readonly url: string }
}
export function downloadAddress(version: string, fileName: string): string
