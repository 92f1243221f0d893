import type { Flow } from '@tapdeck/wire'

/** Which view of a connection is reported: the others are left out. */
export class ChosenViews {
  readonly #leftOut = new WeakSet<Flow>()
  /** Flows that have calls. */
  readonly #reported = new WeakSet<Flow>()

  /** A call is reported with this view. A flow with calls is never left out: a view can have a call that another one missed. */
  choose(flow: Flow, views: readonly Flow[]): void {
    this.#reported.add(flow)
    if (this.#leftOut.delete(flow)) return
    for (const view of views) if (view !== flow) this.leaveOut(view)
  }

  /** Another view of this connection is reported. */
  leaveOut(flow: Flow): void {
    if (!this.#reported.has(flow)) this.#leftOut.add(flow)
  }

  isLeftOut(flow: Flow): boolean {
    return this.#leftOut.has(flow)
  }

  /** A flow has ended. Without calls, the view nearest to the server stays. */
  closed(views: readonly Flow[]): void {
    const last = views.at(-1)
    if (views.length < 2 || last === undefined) return
    if (!views.some((view) => this.#leftOut.has(view))) this.choose(last, views)
  }
}
