import { Shell } from './shell.ts'
import { test } from './tenant.ts'
import { byKeyboard, byMouse } from './way/hands.ts'
import { way } from './way/walk.ts'

for (const { how, handsOn } of [
  { how: 'by mouse', handsOn: byMouse },
  { how: 'by keyboard alone', handsOn: byKeyboard },
]) {
  test(`a new person gets from an empty server to a verified audit trail ${how}`, async ({ page }) => {
    test.setTimeout(240_000)
    const shell = await Shell.open()
    try {
      for (const { name, take } of way) await test.step(name, () => take({ hands: handsOn(page), shell }))
    } finally {
      await shell.close()
    }
  })
}
