const most = 50

/** The values that a field has applied and that have not come back to it yet. */
export class OwnValues {
  private values: string[] = []

  add(value: string): void {
    this.values = [...this.values, value].slice(-most)
  }

  /** True if the value is one of them. It and the older ones are then over: they may never come back. */
  take(value: string): boolean {
    const at = this.values.indexOf(value)
    this.values = this.values.slice(at + 1)
    return at >= 0
  }
}
