// session.proto for JavaScript: plain objects with the field names in camel case, numbers for
// 64-bit integers (below 2^53), text for bytes. Bytes that are not UTF-8 are {hex: "..."}.

import { isUtf8 } from 'node:buffer';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import protobuf from 'protobufjs';

// Without Long, 64-bit integers are numbers.
protobuf.util.Long = undefined;
protobuf.configure();

const OWN_PROTO_DIR = fileURLToPath(new URL('../../../proto', import.meta.url));

function loadRoot(protoDir) {
  const root = new protobuf.Root();
  // Privacy classes are of no use here, and need protobuf's own descriptor.proto.
  root.resolvePath = (_origin, target) =>
    target.startsWith('google/') || target.endsWith('/privacy.proto')
      ? null
      : path.join(protoDir, target);
  if (!existsSync(path.join(protoDir, 'dstap/v1/session.proto'))) {
    throw new Error(`${protoDir}: dstap/v1/session.proto is not here; set DSTAP_PROTO_DIR`);
  }
  return root.loadSync('dstap/v1/session.proto');
}

function toBytes(text) {
  return typeof text === 'object' ? Buffer.from(text.hex, 'hex') : Buffer.from(text, 'utf8');
}

function fromBytes(bytes) {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return isUtf8(buffer) ? buffer.toString('utf8') : { hex: buffer.toString('hex') };
}

// How one value of a field is turned, both ways.
function converters(field) {
  if (field.resolvedType instanceof protobuf.Type) {
    const type = field.resolvedType;
    return [(value) => toMessage(type, value), (value) => fromMessage(type, value)];
  }
  if (field.type === 'bytes') {
    return [toBytes, fromBytes];
  }
  return [(value) => value, (value) => value];
}

const plans = new Map();

function planOf(type) {
  let plan = plans.get(type);
  if (!plan) {
    plan = type.fieldsArray.map((field) => {
      field.resolve();
      const [to, from] = converters(field);
      return { name: field.name, repeated: field.repeated, to, from };
    });
    plans.set(type, plan);
  }
  return plan;
}

function toMessage(type, plain) {
  const message = {};
  for (const { name, repeated, to } of planOf(type)) {
    const value = plain[name];
    if (value === undefined || value === null) {
      continue;
    }
    message[name] = repeated ? value.map(to) : to(value);
  }
  return message;
}

function fromMessage(type, message) {
  const plain = {};
  for (const { name, repeated, from } of planOf(type)) {
    if (!Object.hasOwn(message, name) || message[name] === null) {
      continue;
    }
    plain[name] = repeated ? message[name].map(from) : from(message[name]);
  }
  return plain;
}

/**
 * Both directions of the session protocol.
 * @param {string} [protoDir] folder that holds dstap/v1/session.proto
 */
export function loadCodec(protoDir = process.env.DSTAP_PROTO_DIR || OWN_PROTO_DIR) {
  const root = loadRoot(protoDir);
  const types = {
    client: root.lookupType('dstap.v1.ClientFrame'),
    server: root.lookupType('dstap.v1.ServerFrame'),
  };

  const encode = (type, { source, nowNs, kind, body }) =>
    type.encode(toMessage(type, { source, nowNs, [kind]: body })).finish();

  const decode = (type, bytes) => {
    const message = type.decode(bytes);
    const { source = 0, nowNs = 0, ...rest } = fromMessage(type, message);
    const [kind] = Object.keys(rest);
    return { source, nowNs, kind, body: rest[kind] };
  };

  return {
    /** @param {{source: number, nowNs: number, kind: string, body: object}} frame */
    encodeClient: (frame) => encode(types.client, frame),
    encodeServer: (frame) => encode(types.server, frame),
    decodeClient: (bytes) => decode(types.client, bytes),
    decodeServer: (bytes) => decode(types.server, bytes),
  };
}
