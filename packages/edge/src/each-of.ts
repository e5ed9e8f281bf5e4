/** Runs `work` for each item, with at most `atOnce` items at the same time. Rejects with the first failure. */
export async function eachOf<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values()
  const lane = async () => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, lane))
}
