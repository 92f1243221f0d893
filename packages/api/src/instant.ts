import { z } from 'zod'

export const instant = z.string().describe('RFC 3339 UTC')
