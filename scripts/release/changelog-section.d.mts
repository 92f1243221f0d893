export function changelogSection(
  changelog: string,
  version: string,
): { readonly date: string | undefined; readonly text: string } | undefined
