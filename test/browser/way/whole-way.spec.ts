// The way by keyboard alone is long: it presses Tab up to each element.
import { Shell } from '../shell.ts'
import { test } from '../tenant.ts'
import { byKeyboard, byMouse } from './hands.ts'
import { way } from './walk.ts'

for (const { how, handsOn, tag } of [
  { how: 'by mouse', handsOn: byMouse, tag: [] },
  { how: 'by keyboard alone', handsOn: byKeyboard, tag: '@long' },
]) {
  test(`a new person gets from an empty server to a verified audit trail ${how}`, { tag }, async ({ page }) => {
    test.setTimeout(240_000)
    const shell = await Shell.open()
    try {
      for (const { name, take } of way) await test.step(name, () => take({ hands: handsOn(page), shell }))
    } finally {
      await shell.close()
    }
  })
}
