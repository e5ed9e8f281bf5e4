/**
 * Moves the focus to the name of the page when the element with the focus disappears, such as a button whose action is done.
 * Otherwise the next Tab would start at the beginning of the page, and a screen reader would say nothing.
 */
export function keepFocus(): void {
  let last: Element | undefined
  document.addEventListener('focusin', ({ target }) => {
    last = target instanceof Element ? target : undefined
  })
  // The reader pressed beside all elements.
  document.addEventListener('pointerdown', () => {
    if (document.activeElement === document.body) last = undefined
  })
  const rescue = () => {
    if (last === undefined || last.isConnected || document.activeElement !== document.body) return
    const name = document.querySelector<HTMLElement>('h1')
    if (!name) return
    last = undefined
    name.tabIndex = -1
    name.focus({ preventScroll: true })
  }
  let isAsked = false
  new MutationObserver(() => {
    if (isAsked || document.activeElement !== document.body || last === undefined || last.isConnected) return
    isAsked = true
    // A dialog that closes returns the focus itself, in the next frame.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        isAsked = false
        rescue()
      }),
    )
  }).observe(document.body, { childList: true, subtree: true })
}
