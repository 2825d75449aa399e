// Loaded into Node by `tapedeck run` (NODE_OPTIONS=--require), because Node before 22.21 and 24.5 ignores the proxy
// variables: sends what http, https and fetch send through the proxy, by CONNECT. Newer versions do it themselves, but
// not for agents that a program makes for itself.
'use strict';

const proxy = process.env.TAPEDECK_PROXY && new URL(process.env.TAPEDECK_PROXY);
const doesItself = process.allowedNodeEnvironmentFlags.has('--use-env-proxy');

if (proxy) {
  const http = require('node:http');
  const https = require('node:https');
  const net = require('node:net');
  const tls = require('node:tls');

  const exceptions = (process.env.no_proxy || '').toLowerCase().split(/[\s,]+/).filter(Boolean);

  // As curl reads no_proxy: a name stands for itself and what is below it.
  const isDirect = (host) => {
    const name = host.toLowerCase().replace(/^\[|\]$/g, '');
    return exceptions.some((entry) => {
      const suffix = entry.replace(/^\*?\./, '').replace(/^\[|\]$/g, '');
      return entry === '*' || name === suffix || name.endsWith('.' + suffix);
    });
  };

  // Calls back with a socket whose other end is HOST:PORT.
  const openTunnel = (host, port, done) => {
    const bracketed = net.isIPv6(host) ? `[${host}]` : host;
    const socket = net.connect({ host: proxy.hostname, port: Number(proxy.port) });
    let head = '';
    const fail = (error) => {
      socket.destroy();
      done(error);
    };
    const onData = (bytes) => {
      head += bytes.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      socket.off('data', onData);
      socket.off('error', fail);
      const rest = Buffer.from(head.slice(end + 4), 'latin1');
      if (rest.length > 0) socket.unshift(rest);
      const status = head.slice(9, 12);
      if (status === '200') done(null, socket);
      else fail(new Error(`the proxy ${proxy.host} refused CONNECT ${bracketed}:${port} with ${status}`));
    };
    socket.on('error', fail);
    socket.on('data', onData);
    const authorization = proxy.username
      ? `Proxy-Authorization: Basic ${Buffer.from(
          `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`).toString('base64')}\r\n`
      : '';
    socket.write(`CONNECT ${bracketed}:${port} HTTP/1.1\r\nHost: ${bracketed}:${port}\r\n${authorization}\r\n`);
  };

  const readsProxyVariables = (agent) =>
    doesItself && (agent === http.globalAgent || agent === https.globalAgent || agent.options?.proxyEnv);

  // Of every agent, since many libraries make their own.
  const tunnel = (Agent, isSecure) => {
    const connectDirectly = Agent.prototype.createConnection;
    Agent.prototype.createConnection = function (options, done) {
      const host = options.host || options.hostname || 'localhost';
      if (!done || options.socketPath || isDirect(host) || readsProxyVariables(this)) {
        return connectDirectly.call(this, options, done);
      }
      openTunnel(host, options.port || (isSecure ? 443 : 80), (error, socket) => {
        if (error) return done(error);
        if (!isSecure) return done(null, socket);
        const servername = options.servername ?? (net.isIP(host) ? '' : host);
        done(null, tls.connect({ ...options, path: undefined, socket, servername }));
      });
    };
  };
  tunnel(http.Agent, false);
  tunnel(https.Agent, true);

  // fetch: undici reads its dispatcher from here; touching Response loads undici.
  const dispatcher = Symbol.for('undici.globalDispatcher.1');
  if (!doesItself && typeof globalThis.Response === 'function' && globalThis[dispatcher]) {
    const Agent = globalThis[dispatcher].constructor;
    const connect = (options, done) => {
      const isSecure = options.protocol === 'https:';
      const port = Number(options.port) || (isSecure ? 443 : 80);
      const finish = (error, socket) => {
        if (error) return done(error, null);
        if (!isSecure) return done(null, socket);
        const servername = options.servername || (net.isIP(options.hostname) ? '' : options.hostname);
        const secure = tls.connect({ socket, servername, ALPNProtocols: ['http/1.1'] });
        secure.once('secureConnect', () => done(null, secure));
        secure.once('error', (problem) => done(problem, null));
      };
      if (!isDirect(options.hostname)) return openTunnel(options.hostname, port, finish);
      const socket = net.connect({ host: options.hostname.replace(/^\[|\]$/g, ''), port });
      socket.once('connect', () => finish(null, socket));
      socket.once('error', finish);
    };
    globalThis[dispatcher] = new Agent({ connect });
  }
}
