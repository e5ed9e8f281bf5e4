import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import { onTestFinished, vi } from 'vitest'

/** Until the test ends, the system knows no home folder, as for a user id without a name in a container. */
export function removeHome(): void {
  const spied = vi.spyOn(os, 'homedir').mockImplementation(() => {
    throw new Error('A system error occurred: uv_os_homedir returned ENOENT')
  })
  syncBuiltinESMExports()
  onTestFinished(() => {
    spied.mockRestore()
    syncBuiltinESMExports()
  })
}
