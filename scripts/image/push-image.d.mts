import type { ImageContent } from './oci-image.mjs'

export function pushImage(
  to: string,
  content: ImageContent,
  env?: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly digest: string; readonly pushed: number; readonly known: number }>
