import { Hono } from 'hono'
import { dashboard } from './dashboard.ts'

export const app: Hono = new Hono()
// #region hono
app.on(['GET', 'POST'], ['/dashboard', '/dashboard/*'], (c) => dashboard.fetch(c.req.raw))
// #endregion
