// A Ctrl-C can reach the process twice, from the terminal and from npx. A second signal within this time is ignored.
const sameSignalMs = 300

/** Returns an `AbortSignal` that aborts when the process gets its first stop signal. A later stop signal ends the process. */
export function stopSignal(names: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGHUP']): AbortSignal {
  const stopping = new AbortController()
  let firstMs = 0
  for (const name of names) {
    process.on(name, () => {
      if (!stopping.signal.aborted) {
        firstMs = performance.now()
        stopping.abort(name)
      } else if (performance.now() - firstMs >= sameSignalMs) process.exit(1)
    })
  }
  return stopping.signal
}
