export const publishSteps: Readonly<
  Record<
    string,
    (release: {
      readonly folder: string
      readonly version: string
      readonly names: Readonly<Record<string, string>>
      readonly run: (command: string, ...args: string[]) => void
      readonly note: (line: string) => void
    }) => void | Promise<void>
  >
>
