// Small Lambda Node runtime: handler loading, context, console format and errors as in AWS's own runtime.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import net from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { formatWithOptions } from 'node:util';

const env = process.env;
const ctl = new net.Socket({ fd: +env.LSPE_FD, readable: true, writable: true });
delete env.LSPE_FD;
// The path tells a proxy between functions and endpoint who calls, and whom to kill: /<function>/<pid>/...
if (env.LSPE_ENDPOINT_PROXY)
  env.AWS_ENDPOINT_URL = `${env.LSPE_ENDPOINT_PROXY}/${env.AWS_LAMBDA_FUNCTION_NAME}/${process.pid}`;
delete env.LSPE_ENDPOINT_PROXY;
const send = (m, then) => ctl.write(`${JSON.stringify(m)}\n`, then);
const write = (s) => {
  let b = Buffer.from(s);
  while (b.length) {
    try {
      b = b.subarray(fs.writeSync(1, b));
    } catch (e) {
      if (e.code !== 'EAGAIN') throw e;
    }
  }
};

let requestId;
const json = env.AWS_LAMBDA_LOG_FORMAT === 'JSON';
const LEVELS = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60 };
const floor = LEVELS[(env.AWS_LAMBDA_LOG_LEVEL || (json ? 'info' : 'trace')).toLowerCase()] ?? 10;
const line =
  (level) =>
  (...a) => {
    if (json && LEVELS[level] < floor) return;
    const timestamp = new Date().toISOString();
    if (json) {
      const o = { timestamp, level: level.toUpperCase(), requestId };
      if (a.length === 1 && typeof a[0] === 'object' && !(a[0] instanceof Error)) o.message = a[0];
      else {
        o.message = formatWithOptions({}, ...a);
        const e = a.find((x) => x instanceof Error);
        if (e)
          Object.assign(o, { errorType: e.name, errorMessage: e.message, stackTrace: e.stack?.split('\n').slice(1) });
      }
      try {
        return write(`${JSON.stringify(o)}\n`);
      } catch {
        o.message = formatWithOptions({}, ...a);
        return write(`${JSON.stringify(o)}\n`);
      }
    }
    write(`${timestamp}\t${requestId}\t${level.toUpperCase()}\t${formatWithOptions({}, ...a).replace(/\n/g, '\r')}\n`);
  };
console.log = console.info = line('info');
console.debug = line('debug');
console.warn = line('warn');
console.error = line('error');
console.trace = line('trace');

const toError = (e) => {
  if (e instanceof Error || (e?.stack && e.message !== undefined)) {
    const own = Object.fromEntries(
      Object.entries(e).filter(([k]) => !['errorType', 'errorMessage', 'trace'].includes(k)),
    );
    return {
      wire: {
        errorType: e.name ?? 'Error',
        errorMessage: e.message ?? '',
        trace: String(e.stack ?? '')
          .replace(/\x7F/g, '%7F')
          .split('\n'),
      },
      own,
    };
  }
  return { wire: { errorType: typeof e, errorMessage: String(e), trace: [] }, own: {} };
};
const logError = (title, e) => {
  const { wire, own } = toError(e);
  write(
    `${new Date().toISOString()}\t${requestId}\tERROR\t${title}\t${JSON.stringify({ errorType: wire.errorType, errorMessage: wire.errorMessage, ...own, stack: wire.trace })}\n`,
  );
};
const fatal = (type) => (e) => {
  const { wire } = toError(e);
  const error =
    type === 'Runtime.UnhandledPromiseRejection'
      ? { errorType: type, errorMessage: `${e?.name ?? 'Error'}: ${e?.message ?? e}`, trace: wire.trace }
      : wire;
  logError(type === 'Runtime.UnhandledPromiseRejection' ? 'Unhandled Promise Rejection' : 'Uncaught Exception', e);
  send(ready ? { t: 'error', body: JSON.stringify(error), exit: true } : { t: 'init_error', error }, () =>
    process.exit(type === 'Runtime.UnhandledPromiseRejection' ? 128 : 129),
  );
};
let ready = false;
process.on('uncaughtException', fatal('uncaught'));
process.on('unhandledRejection', fatal('Runtime.UnhandledPromiseRejection'));

const named = (name, message) => Object.assign(new Error(message), { name });
async function load() {
  const root = env.LAMBDA_TASK_ROOT;
  const full = env._HANDLER;
  const dir = path.dirname(full);
  const base = path.basename(full);
  const m = /^([^.]*)\.(.*)$/.exec(base);
  if (!m) throw named('Runtime.MalformedHandlerName', 'Bad handler');
  const stem = path.resolve(root, dir, m[1]);
  const require = createRequire(path.join(root, 'x.js'));
  const isModule = () => {
    for (let d = path.dirname(stem); ; d = path.dirname(d)) {
      const p = path.join(d, 'package.json');
      if (fs.existsSync(p)) {
        try {
          return JSON.parse(fs.readFileSync(p)).type === 'module';
        } catch {
          return false;
        }
      }
      if (d === root || d === path.dirname(d)) return false;
    }
  };
  const imp = (f) => import(pathToFileURL(f).href);
  let mod;
  if (fs.existsSync(`${stem}.js`)) mod = isModule() ? await imp(`${stem}.js`) : require(`${stem}.js`);
  else if (fs.existsSync(`${stem}.mjs`)) mod = await imp(`${stem}.mjs`);
  else if (fs.existsSync(`${stem}.cjs`)) mod = require(`${stem}.cjs`);
  else if (fs.existsSync(stem)) mod = require(stem);
  else
    throw named(
      'Runtime.ImportModuleError',
      `Error: Cannot find module '${m[1]}'\nRequire stack:\n- /var/runtime/index.mjs`,
    );
  const h = m[2].split('.').reduce((o, k) => o?.[k] ?? o?.default?.[k], mod);
  if (!h) throw named('Runtime.HandlerNotFound', `${full} is undefined or not exported`);
  if (typeof h !== 'function') throw named('Runtime.HandlerNotFound', `${full} is not a function`);
  return h;
}

let handler;
try {
  handler = await load();
} catch (e) {
  const err =
    e?.code === 'MODULE_NOT_FOUND' || e?.code === 'ERR_MODULE_NOT_FOUND'
      ? named('Runtime.ImportModuleError', `Error: ${e.message}`)
      : e instanceof SyntaxError
        ? named('Runtime.UserCodeSyntaxError', `SyntaxError: ${e.message}`)
        : e;
  logError('Uncaught Exception', err);
  await new Promise((r) => send({ t: 'init_error', error: toError(err).wire }, r));
  process.exit(1);
}

function run(req) {
  return new Promise((resolve) => {
    let done = false;
    const finish = (m) => {
      if (!done) {
        done = true;
        resolve(m);
      }
    };
    const fail = (e) => {
      if (done) return;
      logError('Invoke Error', e);
      finish({ t: 'error', body: JSON.stringify(toError(e).wire) });
    };
    const ok = (v) => {
      let body;
      try {
        body = JSON.stringify(v === undefined ? null : v);
      } catch {
        return fail(named('Runtime.MarshalError', 'Unable to stringify response body'));
      }
      finish({ t: 'ok', body: body ?? 'null' });
    };
    const context = {
      callbackWaitsForEmptyEventLoop: true,
      functionName: env.AWS_LAMBDA_FUNCTION_NAME,
      functionVersion: env.AWS_LAMBDA_FUNCTION_VERSION,
      memoryLimitInMB: env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
      logGroupName: env.AWS_LAMBDA_LOG_GROUP_NAME,
      logStreamName: env.AWS_LAMBDA_LOG_STREAM_NAME,
      invokedFunctionArn: req.arn,
      awsRequestId: req.id,
      getRemainingTimeInMillis: () => req.deadline - Date.now(),
      done: (e, v) => (e ? fail(e) : ok(v)),
      succeed: ok,
      fail,
    };
    let event;
    try {
      event = req.payload === '' ? undefined : JSON.parse(req.payload);
    } catch (e) {
      return fail(named('Runtime.UnmarshalError', e.message));
    }
    try {
      const r = handler(event, context, (e, v) => (e ? fail(e) : ok(v)));
      if (r && typeof r.then === 'function') r.then(ok, fail);
      else if (r !== undefined && handler.length < 3) ok(r);
      else if (handler.length < 3) setImmediate(() => ok(null));
    } catch (e) {
      fail(e);
    }
  });
}

let buf = [];
ctl.on('data', async (c) => {
  buf.push(c);
  if (c[c.length - 1] !== 10) return;
  const req = JSON.parse(Buffer.concat(buf).toString());
  buf = [];
  requestId = req.id;
  if (req.trace) env._X_AMZN_TRACE_ID = req.trace;
  send(await run(req));
});
ctl.on('close', () => process.exit(0)); // LocalStack is gone
ctl.on('error', () => process.exit(0));
ready = true;
send({ t: 'ready' });
