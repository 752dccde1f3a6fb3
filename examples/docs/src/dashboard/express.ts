import { toNodeHandler } from '@callboard/router/node'
import express, { type Express } from 'express'
import { dashboard } from './dashboard.ts'

export const app: Express = express()
// #region express
app.use('/dashboard', toNodeHandler(dashboard)) // works before or after express.urlencoded()
// #endregion
