// Preloaded by tests. Makes `tls.connect` connect by name and ignore the address that it is given, as old runtimes do.
import { syncBuiltinESMExports } from 'node:module'
import tls from 'node:tls'

const { connect } = tls
tls.connect = ((options: tls.ConnectionOptions, ...rest: []) =>
  connect({ ...options, host: options.servername ?? options.host }, ...rest)) as typeof connect
syncBuiltinESMExports()
