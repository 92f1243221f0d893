const pattern = /^[a-z0-9][a-z0-9._-]{0,63}$/

/** Why a name will not do; nothing where it will. */
export function nameProblem(name: string, taken: readonly string[]): string | undefined {
  if (name === '') return 'Give it a name.'
  if (!pattern.test(name)) return 'A name is 1 to 64 of a-z 0-9 . _ - and begins with a letter or digit.'
  if (taken.includes(name)) return 'This name is taken.'
  return undefined
}

/** `snap-0512-1403`: when it was made, in the reader's zone. */
export function suggestName(kind: 'snap' | 'rec', now: number, taken: readonly string[]): string {
  const date = new Date(now)
  const two = (value: number) => String(value).padStart(2, '0')
  const stem = `${kind}-${two(date.getMonth() + 1)}${two(date.getDate())}-${two(date.getHours())}${two(date.getMinutes())}`
  return firstFree(stem, taken)
}

export function suggestDissectionName(taken: readonly string[]): string {
  return firstFree('all', taken)
}

function firstFree(stem: string, taken: readonly string[]): string {
  if (!taken.includes(stem)) return stem
  let number = 2
  while (taken.includes(`${stem}-${number}`)) number++
  return `${stem}-${number}`
}
