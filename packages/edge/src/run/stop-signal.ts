/** The first stop signal aborts; a second one exits immediately. */
export function stopSignal(names: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP']): AbortSignal {
  const stopping = new AbortController()
  for (const name of names) {
    process.on(name, () => {
      if (stopping.signal.aborted) process.exit(1)
      stopping.abort(name)
    })
  }
  return stopping.signal
}
