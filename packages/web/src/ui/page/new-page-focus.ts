import type { AnyRouter } from '@tanstack/react-router'

let hasActed = false

/** Notes whether the person uses the keyboard or the mouse between the start of a navigation and the page that it opens. */
export function watchActs(router: AnyRouter): void {
  const note = () => {
    hasActed = true
  }
  addEventListener('keydown', note, { capture: true })
  addEventListener('pointerdown', note, { capture: true })
  router.subscribe('onBeforeNavigate', () => {
    hasActed = false
  })
}

/** False if the person already uses something else, such as a menu of the header. A menu that loses the focus closes. */
export const mayTakeFocus = () => !hasActed
