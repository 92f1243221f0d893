/** The names an address had at a time. Absent is absent. */
export interface Names {
  readonly pod?: string
  readonly ns?: string
  readonly svc?: string
  readonly node?: string
  /** What the pod belongs to at last: the name of its Deployment, StatefulSet, DaemonSet, Job or CronJob. */
  readonly workload?: string
  readonly workload_kind?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}
