// Preloaded by tests: makes `https.request` look names up by itself, whatever it is told, as old runtimes do.
import https from 'node:https'
import { syncBuiltinESMExports } from 'node:module'

const { request } = https
https.request = ((options: https.RequestOptions, ...rest: []) =>
  request({ ...options, lookup: undefined }, ...rest)) as typeof request
syncBuiltinESMExports()
