/** The names an address had at a time. Absent is absent. */
export interface Names {
  readonly pod?: string
  readonly ns?: string
  readonly svc?: string
  readonly node?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}
