export function reasonPackUnfit(
  pack: string,
  machine?: { readonly arch?: string; readonly env?: Readonly<Record<string, string | undefined>> },
): string | undefined
