import { z } from "zod";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
// libs/contracts/src/error-row.ts
/** Creates a row. The arguments are its columns, in their order. */
const row = (status, retryable, meaning, remedy) => ({
	status,
	retryable,
	meaning,
	remedy
});
// libs/contracts/src/domain-errors.ts
/** Error codes for the rules of individual services. Each operation lists those that it may return. */
const domainErrors = {
	identity_migration_transaction_not_found: row(422, false, "This Project Client has no Identity Migration Transaction with this id.", "Check the id."),
	download_not_found: row(404, false, "The download URL is wrong or has expired, or its file no longer exists.", "Obtain a new download grant."),
	public_asset_taken_down: row(410, false, "The Public Asset was taken down.", "Stop using its URL."),
	range_not_satisfiable: row(416, false, "The requested range is outside the file.", "Request a range within the size that the Content-Range header states."),
	project_client_mismatch: row(422, false, "project_client_id is not the id of the calling Project Client.", "Send the id that GET /project-client returns."),
	identity_migration_transaction_expired: row(422, false, "The transaction has expired.", "Create a new transaction."),
	identity_migration_state_conflict: row(422, false, "The state of the transaction does not allow this operation.", "Read the transaction and check its status."),
	flow_token_invalid: row(422, false, "The flow token does not belong to this transaction.", "Send the flow_token from the response that created the transaction."),
	flow_token_locked: row(422, false, "Too many wrong flow tokens were tried; create a new transaction.", "Create a new transaction."),
	email_not_owned: row(422, false, "The account does not own the asserted email address.", "Use the account that owns the address, or add the address."),
	email_not_verified: row(422, false, "The account has not verified an email address since the transaction was created.", "Verify the address, then link again."),
	account_already_linked: row(422, false, "The transaction is linked to another account, or this legacy subject is already linked.", "Read the transaction. A legacy subject can be linked once."),
	return_uri_not_allowed: row(422, false, "return_uri is not on the Project Client's allow-list.", "Ask the operator to add exactly this URI."),
	verification_link_invalid: row(422, false, "The verification link is wrong, was used before or has expired.", "Request a new verification email."),
	verification_limit_reached: row(422, false, "The transaction has reached its limit of ten verification emails.", "Create a new transaction."),
	upload_token_invalid: row(422, false, "The upload token is wrong, was used before or has expired; obtain a new grant.", "Obtain a new upload grant."),
	upload_checksum_mismatch: row(422, false, "The SHA-256 of the uploaded bytes differs from the declared one.", "Obtain a new upload grant with the correct SHA-256."),
	upload_too_large: row(422, false, "The upload is larger than the grant's maximum_bytes.", "Obtain an upload grant with a larger maximum_bytes."),
	upload_content_type_mismatch: row(422, false, "The content type of the upload differs from the declared one.", "Obtain a new grant and send its expected_content_type or application/octet-stream."),
	upload_grant_already_issued: row(422, false, "A grant was already issued for this Idempotency-Key; its token is returned only once.", "Use the token that you received, or send a new key."),
	file_object_not_found: row(422, false, "This Project Client has no File Object with this id.", "Check the id."),
	file_object_not_uploaded: row(422, false, "No bytes have been uploaded for this File Object yet.", "Upload the bytes first."),
	file_object_not_available: row(422, false, "The File Object is not available.", "Complete the upload and wait for the status available. A rejected file stays rejected."),
	image_preset_not_found: row(422, false, "There is no approved image preset with this id.", "Use an approved preset."),
	file_object_not_image: row(422, false, "The File Object is not an image.", "Publish only images."),
	delivery_endpoint_not_found: row(422, false, "This Project Client has no Delivery Endpoint with this id.", "Check the id."),
	delivery_endpoint_not_verified: row(422, false, "The Delivery Endpoint has not been verified.", "Verify the endpoint first."),
	delivery_endpoint_revoked: row(422, false, "The Delivery Endpoint has been revoked.", "Register the endpoint again."),
	verification_token_invalid: row(422, false, "The verification token is wrong or was used before.", "Send the token of the most recent registration."),
	verification_token_expired: row(422, false, "The verification token has expired; register again.", "Register again."),
	verification_locked: row(422, false, "Too many wrong verification tokens were tried; register again.", "Register again."),
	sender_profile_not_found: row(422, false, "This Project Client has no sender profile with this id.", "Check the id, or ask the operator."),
	template_not_found: row(422, false, "There is no template with this key, channel and locale.", "Check the catalog that is applied."),
	template_variables_mismatch: row(422, false, "The variables differ from those that the template declares; details.violations lists the differences.", "Send exactly the variables that the template declares."),
	channel_mismatch: row(422, false, "The sender profile, the template and the endpoint have different channels.", "Use the same channel for all three."),
	consent_required: row(422, false, "The endpoint has not granted consent for this purpose.", "Obtain the recipient's consent and record it."),
	consent_withdrawn: row(422, false, "The recipient has unsubscribed from this purpose.", "Do not send this notification."),
	notification_delivery_not_found: row(422, false, "This Project Client has no delivery with this id.", "Check the id."),
	stream_sequence_conflict: row(422, false, "The stream already has another event at this sequence.", "Use the next free sequence."),
	scheduled_url_not_allowed: row(422, false, "The platform may not call this url in this environment; details.reason says why.", "Register a public https URL."),
	decision_token_invalid: row(422, false, "This platform did not sign the ad decision token, or the token was changed.", "Send the token unchanged."),
	decision_token_expired: row(422, false, "The ad decision token has expired.", "Ask for a new ad decision."),
	viewability_not_met: row(422, false, "The impression does not meet the viewability threshold of its format.", "Report again once it is met.")
};
// libs/contracts/src/errors.ts
/**
* Every error code that the API returns, one row each. The gateway's error renderer, OpenAPI and the reference page
* derive from this table. `idempotency_key_reused` has the status 422 here, and 409 on operations whose record says so.
*/
const errorCodes = {
	unauthenticated: row(401, false, "The credential is missing, malformed, unknown, expired or revoked.", "Send a valid credential as `Authorization: Bearer …`."),
	insufficient_scope: row(403, false, "The credential does not have the scope named in details.required_scope.", "Use a credential with that scope."),
	recent_authentication_required: row(403, false, "The Platform Session was authenticated too long ago; sign in again.", "Ask the person to sign in, then send the request again."),
	project_client_disabled: row(403, false, "An operator has disabled the Project Client.", "Ask the operator of the platform."),
	route_not_found: row(404, false, "No operation has this path.", "Check the path; every path begins with /api/v1."),
	method_not_allowed: row(405, false, "The path exists, but not with this method; see the Allow header.", "Use a method that the Allow header lists."),
	idempotency_in_progress: row(409, true, "The first request with this Idempotency-Key is still in progress.", "After the time in Retry-After, send the request again with the same key."),
	payload_too_large: row(413, false, "The request body is larger than this operation accepts.", "Send a smaller body: at most 1 MiB, or 4 MiB for catalog validation."),
	unsupported_media_type: row(415, false, "The request body has a media type that this operation does not accept.", "Send `application/json`, or for uploads one of the accepted types."),
	contract_violation: row(422, false, "The request violates the contract; details.violations lists every violation.", "Correct the field at each listed path."),
	idempotency_key_reused: row(422, false, "The Idempotency-Key was used earlier for a different request.", "Use a new key for a new request."),
	platform_quota_exceeded: row(429, true, "The Project Client has reached a hard quota; see details and Retry-After.", "Wait for the time in Retry-After, or ask the operator for a higher quota."),
	internal_error: row(500, true, "The platform has failed unexpectedly; quote the correlation id when you report it.", "Send the request again with the same Idempotency-Key. If it fails again, report the correlation id."),
	dependency_unavailable: row(503, true, "A part of the platform that this operation needs is unavailable; try again shortly.", "Send the request again after the time in Retry-After."),
	deadline_exceeded: row(504, true, "The operation did not finish in time; send the request again with the same Idempotency-Key.", "Send the request again with the same Idempotency-Key."),
	...domainErrors
};
// libs/contracts/src/answerable-errors.ts
/** Returns the status of `code` on `operation`, or the vocabulary's own status if no route matched. */
function errorStatus(code, operation = null) {
	if (code === "idempotency_key_reused" && operation?.idempotency) return operation.idempotency.reusedStatus;
	return operation?.errorStatuses?.[code] ?? errorCodes[code].status;
}
// libs/contracts/src/text.ts
/**
* Returns the number of Unicode code points in a well-formed string, which JSON Schema's `minLength` and `maxLength`
* count. A lone surrogate counts as one.
*/
function codePointCount(value) {
	let count = value.length;
	for (let index = 0; index < value.length - 1; index++) {
		const unit = value.charCodeAt(index);
		if (unit < 55296 || unit > 56319) continue;
		const next = value.charCodeAt(index + 1);
		if (next < 56320 || next > 57343) continue;
		count--;
		index++;
	}
	return count;
}
/**
* Returns whether all stores and protocols behind the gateway can represent every character of `value`. NUL ends
* strings in some of them. A lone surrogate has no UTF-8 form and would silently become U+FFFD.
*/
function isStorableText(value) {
	return value.isWellFormed() && !value.includes("\0");
}
/** Creates the schema of a storable string of `min` to `max` code points that matches `pattern` if there is one. */
function text({ min = 1, max, pattern, description }) {
	return z.string().check((payload) => {
		const { value } = payload;
		if (value.length < min || value.length < 2 * min && codePointCount(value) < min) payload.issues.push({
			code: "too_small",
			origin: "string",
			minimum: min,
			inclusive: true,
			input: value
		});
		else if (value.length > max && (value.length > 2 * max || codePointCount(value) > max)) payload.issues.push({
			code: "too_big",
			origin: "string",
			maximum: max,
			inclusive: true,
			input: value
		});
		else if (pattern === void 0) {
			if (!isStorableText(value)) payload.issues.push({
				code: "invalid_format",
				format: "text",
				input: value
			});
		} else if (!pattern.test(value)) payload.issues.push({
			code: "invalid_format",
			format: "regex",
			pattern: pattern.source,
			input: value
		});
	}).meta({
		...min > 0 ? { minLength: min } : {},
		maxLength: max,
		...pattern === void 0 ? {} : { pattern: pattern.source },
		...description === void 0 ? {} : { description }
	});
}
/** A dotted lower-case name such as `order.placed`: event types, event keys, operation names, audit actions. */
const dottedName = text({
	max: 120,
	pattern: /^[a-z][a-z0-9_.-]+$/
});
/** A token or digest of 32 bytes as 64 lower-case hex characters. */
const hex64 = z.string().check((payload) => {
	if (!/^[0-9a-f]{64}$/.test(payload.value)) payload.issues.push({
		code: "invalid_format",
		format: "hex64",
		input: payload.value
	});
}).meta({ pattern: "^[0-9a-f]{64}$" });
/** A string of exactly 64 characters: verification tokens, whose pattern the contract does not define. */
const verificationToken = text({
	min: 64,
	max: 64
});
/** A BCP 47 language tag. Only its length is checked here; the owning service knows which locales exist. */
const locale = text({ max: 20 });
// libs/contracts/src/caller-json.ts
/** Maximum number of violations that are collected for an object. A response contains no more. */
const noted = 50;
function isPlainObject(value) {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
/**
* Creates the schema of a JSON object that is kept unchanged. It returns the given object itself, because zod's objects
* and records copy an object without `__proto__`. `eachProperty` validates one property and reports violations under
* its key. `jsonSchema` describes the object in documents, and its `propertyValues` is the schema of the values.
*/
function callerObject(eachProperty, jsonSchema, propertiesMax = Number.POSITIVE_INFINITY) {
	return z.unknown().check((payload) => {
		const { value, issues } = payload;
		if (!isPlainObject(value)) {
			issues.push({
				code: "invalid_type",
				expected: "object",
				input: value
			});
			return;
		}
		const keys = Object.keys(value);
		if (keys.length > propertiesMax) {
			issues.push({
				code: "too_big",
				origin: "object",
				maximum: propertiesMax,
				inclusive: true,
				input: value
			});
			return;
		}
		for (const key of keys) {
			if (issues.length >= noted) return;
			if (isStorableText(key)) eachProperty(key, value[key], issues);
			else issues.push({
				code: "invalid_format",
				format: "text",
				path: [key],
				input: key
			});
		}
	}).meta({
		type: "object",
		...jsonSchema
	});
}
/** Maximum nesting that is validated by recursion. The gateway's parser rejects bodies with deeper nesting. */
const recursionMax = 64;
/**
* Returns whether the whole value can be stored and written back unchanged. Returns false also for a value that is
* nested deeper than `recursionMax`. Every number can be stored, because the code that stores it keeps its digits
* (`parseExactly`), even if JSON.parse reads it as Infinity.
*/
function isStorableJson(value, depth = 0) {
	switch (typeof value) {
		case "string": return isStorableText(value);
		case "object":
			if (value === null) return true;
			if (depth > recursionMax) return false;
			if (Array.isArray(value)) return value.every((item) => isStorableJson(item, depth + 1));
			for (const key of Object.keys(value)) if (!isStorableText(key) || !isStorableJson(value[key], depth + 1)) return false;
			return true;
		default: return true;
	}
}
function pathOf(place) {
	const path = [];
	for (let at = place; at !== null; at = at.around) path.unshift(at.key);
	return path;
}
/**
* Reports every position of a JSON value that cannot be stored or written back. It uses an explicit stack, so nesting cannot exhaust the call stack.
*/
function noteUnstorable(root, input, issues) {
	const open = [{
		place: {
			around: null,
			key: root
		},
		value: input
	}];
	for (let next = open.pop(); next !== void 0 && issues.length < noted; next = open.pop()) {
		const { place, value } = next;
		if (typeof value === "object" && value !== null) {
			const isArray = Array.isArray(value);
			for (const key of Object.keys(value).reverse()) {
				const inside = {
					around: place,
					key: isArray ? Number(key) : key
				};
				if (isStorableText(key)) open.push({
					place: inside,
					value: value[key]
				});
				else issues.push({
					code: "invalid_format",
					format: "text",
					path: pathOf(inside),
					input: key
				});
			}
		} else if (!isStorableJson(value)) issues.push({
			code: "invalid_format",
			format: "text",
			path: pathOf(place),
			input: value
		});
	}
}
/** Any JSON object, such as the `data` of a Domain Event. It is stored and returned exactly, whatever its keys are. */
const jsonObject = callerObject((key, value, issues) => {
	if (!isStorableJson(value)) noteUnstorable(key, value, issues);
}, { additionalProperties: true });
/**
* Returns whether a member of a body is the caller's own JSON: one with the schema `jsonObject`, or one that the
* contract does not name. Numbers in it keep every digit. Other numbers are read as doubles, and rejected if that would
* change them.
*/
function isCallerOwned(body, member) {
	if (!(body instanceof z.ZodObject)) return false;
	const schema = Object.hasOwn(body.shape, member) ? body.shape[member] : void 0;
	return schema === void 0 || schema.meta()?.additionalProperties === true;
}
/** The type names that a catalog entry may declare for its variables. */
const variableTypes = [
	"string",
	"integer",
	"number"
];
/** Declared variables of a catalog entry, by name, each with its type name. At most 50. */
const variableDeclarations = callerObject((key, value, issues) => {
	if (!variableTypes.includes(value)) issues.push({
		code: "invalid_value",
		values: [...variableTypes],
		path: [key],
		input: value
	});
}, {
	id: "VariableDeclarations",
	description: "The variables of the template by name, each with its type.",
	maxProperties: 50,
	propertyValues: z.enum(variableTypes).meta({
		id: "VariableType",
		description: "The type of a template variable."
	})
}, 50);
/** Maximum length of a string in the variables of a Notification Intent, in code points. */
const variableTextMax = 5e3;
/**
* Variables of a Notification Intent, by name, each a string (at most 5000 characters) or a number. At most 50. An
* empty string is an ordinary value.
*/
const variables = callerObject((key, value, issues) => {
	if (typeof value === "string") {
		if (value.length > variableTextMax && (value.length > 2 * variableTextMax || codePointCount(value) > variableTextMax)) issues.push({
			code: "too_big",
			origin: "string",
			maximum: variableTextMax,
			inclusive: true,
			path: [key],
			input: value
		});
		else if (!isStorableText(value)) issues.push({
			code: "invalid_format",
			format: "text",
			path: [key],
			input: value
		});
	} else if (typeof value !== "number" || !Number.isFinite(value)) issues.push({
		code: "invalid_type",
		expected: "string or number",
		path: [key],
		input: value
	});
}, {
	id: "Variables",
	description: "Template variables by name: exactly those that the template declares.",
	maxProperties: 50,
	propertyValues: z.union([z.string().meta({
		id: "VariableText",
		maxLength: variableTextMax,
		description: "A text, which may be empty."
	}), z.number().meta({
		id: "VariableNumber",
		description: "A number. A number that a double cannot represent exactly is rejected."
	})]).meta({
		id: "VariableValue",
		description: "The value of one template variable."
	})
}, 50);
// libs/contracts/src/exact-json.ts
const sourceTextJson = JSON;
/**
* Parses JSON so that JSON.stringify writes every number back with all its digits. If JavaScript would write a number
* differently, its source text is kept (`JSON.rawJSON`). This takes several times as long as JSON.parse.
*/
function parseExactly(text) {
	return sourceTextJson.parse(text, (_key, value, { source }) => typeof value === "number" && source !== void 0 && String(value) !== source ? sourceTextJson.rawJSON(source) : value);
}
/**
* Returns the paths of the numbers that a double would change, in a value read by `parseExactly`. A path consists of
* names and indexes, from the root.
*/
function changedNumbers(value) {
	const found = [];
	const look = (inside, place) => {
		if (typeof inside !== "object" || inside === null) return;
		if (sourceTextJson.isRawJSON(inside)) {
			if (!isHeldByDouble(inside.rawJSON)) found.push([...place]);
		} else if (Array.isArray(inside)) for (const [index, item] of inside.entries()) look(item, [...place, index]);
		else for (const [key, item] of Object.entries(inside)) look(item, [...place, key]);
	};
	look(value, []);
	return found;
}
/** Returns whether JavaScript keeps every digit of a number's source text. */
function isHeldByDouble(source) {
	const sent = decimalOf(source);
	const written = decimalOf(String(Number(source)));
	return sent !== null && written !== null && sent.digits === written.digits && sent.exponent === written.exponent;
}
const numberPattern = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/**
* Splits a number into its significant digits and the power of ten of the last digit. Returns null for text that is not
* a JSON number, such as Infinity.
*/
function decimalOf(source) {
	const parts = numberPattern.exec(source);
	if (parts === null) return null;
	const [, whole = "", fraction = "", exponent = "0"] = parts;
	const all = whole + fraction;
	let from = 0;
	let to = all.length;
	while (from < to && all[from] === "0") from += 1;
	while (to > from && all[to - 1] === "0") to -= 1;
	if (from === to) return {
		digits: "0",
		exponent: 0
	};
	return {
		digits: all.slice(from, to),
		exponent: Number(exponent) - fraction.length + (all.length - to)
	};
}
/**
* Validates `value` with `schema`. Returns the value as handlers receive it (defaults applied, date-times and UUIDs
* normalized), or all violations, at most `violationsMax`.
*
* `prefix` says where the value comes from: "" for a body (its root is `/`), "path:" for an object of path parameters,
* "header:Name" for the value of one header.
*/
function validate(schema, value, prefix = "") {
	const parsed = schema.safeParse(value);
	if (parsed.success) return {
		ok: true,
		value: parsed.data
	};
	const violations = /* @__PURE__ */ new Map();
	const note = (path, rest) => {
		if (!violations.has(path)) violations.set(path, {
			path,
			...rest
		});
	};
	for (const issue of parsed.error.issues) {
		if (issue.code === "unrecognized_keys") for (const key of issue.keys.slice(0, 50)) note(violationPath(prefix, [...issue.path, key]), unknownProperty);
		else {
			const absent = issue.code !== "custom" && isAbsent(value, issue.path);
			note(violationPath(prefix, issue.path), absent ? required : describe(issue));
		}
		if (violations.size >= 50) break;
	}
	return {
		ok: false,
		violations: [...violations.values()].slice(0, 50)
	};
}
const required = {
	code: "required",
	message: "is required"
};
const unknownProperty = {
	code: "unknown_property",
	message: "is not a property of this object"
};
/**
* Returns the pointer of `segments` after `prefix`. Parameters have their plain name (`path:transactionId`), and the
* root of a body is `/`.
*/
function violationPath(prefix, segments) {
	const pointer = segments.map((segment) => `/${String(segment).toWellFormed().replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
	if (prefix === "") return pointer === "" ? "/" : pointer;
	return prefix.endsWith(":") ? prefix + pointer.slice(1) : prefix + pointer;
}
/** Returns whether there is no value at `path`. JSON has no undefined, so an undefined value was not sent. */
function isAbsent(value, path) {
	let found = value;
	for (const segment of path) {
		if (typeof found !== "object" || found === null || !Object.hasOwn(found, segment)) return true;
		found = found[segment];
	}
	return found === void 0;
}
const formatMessages = {
	text: "must not contain NUL characters or lone surrogates",
	hex64: "must be 64 lower-case hexadecimal characters",
	uuid: "must be a UUID",
	email: "must be an email address",
	uri: "must be an absolute URI (RFC 3986)",
	datetime: "must be an RFC 3339 date-time with an offset, such as 2026-01-31T09:30:00Z",
	idempotency_key: "must be printable ASCII without spaces"
};
const typeNames = {
	int: "an integer",
	number: "a number",
	string: "a string",
	boolean: "true or false",
	object: "an object",
	array: "an array"
};
/**
* Returns the code and message of one issue. All issues that the contract's schemas raise are covered; any other
* becomes invalid_value.
*/
function describe(issue) {
	switch (issue.code) {
		case "invalid_type": return {
			code: "invalid_type",
			message: `must be ${typeNames[issue.expected] ?? `a ${issue.expected}`}`
		};
		case "too_small": return bound(issue.origin, "at least", Number(issue.minimum), "too_short", "too_small");
		case "too_big": return bound(issue.origin, "at most", Number(issue.maximum), "too_long", "too_big");
		case "invalid_format": return {
			code: "invalid_format",
			message: formatMessages[issue.format] ?? (issue.pattern === void 0 ? "has the wrong format" : `must match ${issue.pattern}`)
		};
		case "invalid_value": return {
			code: "invalid_value",
			message: `must be one of ${issue.values.map(String).join(", ")}`
		};
		case "custom": return {
			code: issue.params?.violation,
			message: issue.message
		};
		default: return {
			code: "invalid_value",
			message: "is not a value the contract allows"
		};
	}
}
const countedUnits = {
	string: ["character", "characters"],
	array: ["item", "items"],
	object: ["property", "properties"]
};
function bound(origin, relation, limit, lengthCode, valueCode) {
	const units = countedUnits[origin];
	if (units === void 0) return {
		code: valueCode,
		message: `must be ${relation} ${limit}`
	};
	const [one, many] = units;
	return {
		code: lengthCode,
		message: `must ${origin === "string" ? "be" : "have"} ${relation} ${limit} ${limit === 1 ? one : many}${origin === "string" ? " long" : ""}`
	};
}
// libs/contracts/src/exact-body.ts
const notHeldByDouble = "must be a number that a double holds to its last digit";
/**
* Returns violations for numbers that a double would change, in those members of a body that the platform itself reads.
* @param exact the body as read by `parseExactly`
* @param known violations found before. Each pointer is reported once, and there are at most `violationsMax` in total
*/
function changedNumberViolations(exact, schema, known = []) {
	if (typeof exact !== "object" || exact === null) return [];
	const noted = new Set(known.map(({ path }) => path));
	const violations = [];
	for (const [name, member] of Object.entries(exact)) {
		if (isCallerOwned(schema, name)) continue;
		for (const place of changedNumbers(member)) {
			if (known.length + violations.length >= 50) return violations;
			const path = violationPath("", [name, ...place]);
			if (!noted.has(path)) violations.push({
				path,
				code: "invalid_value",
				message: notHeldByDouble
			});
		}
	}
	return violations;
}
/** Replaces the caller's own members of a validated body by the same members with exact numbers. */
function keepExactMembers(body, schema, exact) {
	if (typeof body !== "object" || body === null) return;
	const members = body;
	for (const name of Object.keys(members)) if (isCallerOwned(schema, name)) members[name] = exact[name];
}
// libs/contracts/src/formats.ts
const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Returns whether `value` is a UUID (RFC 9562 §4), of any version and variant, in any case. */
function isUuid(value) {
	return value.length === 36 && uuidPattern.test(value);
}
/**
* Schema of a UUID in any case. Handlers receive it in lower case, the form in which RFC 9562 requires it to be sent.
*/
const uuid = z.string().check((payload) => {
	if (isUuid(payload.value)) payload.value = payload.value.toLowerCase();
	else payload.issues.push({
		code: "invalid_format",
		format: "uuid",
		input: payload.value
	});
}).meta({ format: "uuid" });
const letters = String.raw`\p{L}\p{M}\p{N}`;
const atom = String.raw`[a-z0-9!#$%&'*+/=?^_\x60{|}~${letters}-]+`;
const quoted = String.raw`"(?:[\x20!\x23-;=?-\x5b\x5d-~${letters}]|\\[\x20-;=?-~])*"`;
const label = `[a-z0-9${letters}](?:[a-z0-9${letters}-]*[a-z0-9${letters}])?`;
const emailPattern = new RegExp(String.raw`^(?:${atom}(?:\.${atom})*|${quoted})@(?:${label}\.)+${label}$`, "iu");
/**
* Creates the schema of an email address of at most `max` code points. With `trim`, surrounding white space is removed
* before validation. The pattern is applied only to short strings, so no input can make it slow.
*/
function email(max, { trim = false } = {}) {
	return z.string().check((payload) => {
		const value = trim ? payload.value.trim() : payload.value;
		payload.value = value;
		if (value.length > max && (value.length > 2 * max || codePointCount(value) > max)) payload.issues.push({
			code: "too_big",
			origin: "string",
			maximum: max,
			inclusive: true,
			input: value
		});
		else if (!emailPattern.test(value)) payload.issues.push({
			code: "invalid_format",
			format: "email",
			input: value
		});
	}).meta({
		format: "email",
		maxLength: max
	});
}
/**
* Creates the schema of an absolute URI (RFC 3986, so ASCII without spaces) of at most `max` characters that the WHATWG
* URL parser accepts. Handlers receive it unchanged.
*/
function uri(max) {
	return z.string().check((payload) => {
		const { value } = payload;
		if (value.length > max && (value.length > 2 * max || codePointCount(value) > max)) payload.issues.push({
			code: "too_big",
			origin: "string",
			maximum: max,
			inclusive: true,
			input: value
		});
		else if (!/^[a-z][a-z0-9+.-]*:[\x21-\x7e]+$/i.test(value) || !URL.canParse(value)) payload.issues.push({
			code: "invalid_format",
			format: "uri",
			input: value
		});
	}).meta({
		format: "uri",
		maxLength: max
	});
}
const dateTimePattern = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;
/**
* Converts an RFC 3339 date-time to the form `2026-01-31T09:30:00.000Z`. Returns null if `value` is invalid: it has no
* offset, the day does not exist, or the year is outside 0000 to 9999. A leap second counts as the following second,
* and fractions below a millisecond are dropped.
*/
function normalizeDateTime(value) {
	if (value.length === 24 && value.endsWith("Z")) {
		const sent = new Date(value);
		if (!Number.isNaN(sent.getTime()) && sent.toISOString() === value) return value;
	}
	const match = dateTimePattern.exec(value);
	if (match === null) return null;
	const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number);
	const offsetHours = Number(match[9] ?? 0);
	const offsetMinutes = Number(match[10] ?? 0);
	if (hour > 23 || minute > 59 || second > 60 || offsetHours > 23 || offsetMinutes > 59) return null;
	const instant = /* @__PURE__ */ new Date(0);
	instant.setUTCFullYear(year, month - 1, day);
	if (instant.getUTCMonth() !== month - 1 || instant.getUTCDate() !== day) return null;
	const sign = match[8] === "-" ? 1 : -1;
	instant.setUTCHours(hour, minute + sign * (offsetHours * 60 + offsetMinutes), second, Number((match[7] ?? "").slice(0, 3).padEnd(3, "0")));
	if (second === 60 && (instant.getUTCHours() !== 0 || instant.getUTCMinutes() !== 0)) return null;
	const utcYear = instant.getUTCFullYear();
	return utcYear < 0 || utcYear > 9999 ? null : instant.toISOString();
}
/** Schema of an RFC 3339 date-time with an offset. Handlers receive it in UTC with milliseconds. */
const dateTime = z.string().check((payload) => {
	const normalized = normalizeDateTime(payload.value);
	if (normalized === null) payload.issues.push({
		code: "invalid_format",
		format: "datetime",
		input: payload.value
	});
	else payload.value = normalized;
}).meta({ format: "date-time" });
/**
* Creates the schema of a JSON number with an integral value from `min` to `max`, both within the safe range. `5.0` is
* accepted; `1.5` and `9007199254740992` are not.
*/
function integer(min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER) {
	return z.number().check((payload) => {
		const { value } = payload;
		if (!Number.isInteger(value)) payload.issues.push({
			code: "invalid_type",
			expected: "int",
			input: value
		});
		else if (value < min) payload.issues.push({
			code: "too_small",
			origin: "int",
			minimum: min,
			inclusive: true,
			input: value
		});
		else if (value > max) payload.issues.push({
			code: "too_big",
			origin: "int",
			maximum: max,
			inclusive: true,
			input: value
		});
	}).meta({
		type: "integer",
		minimum: min,
		maximum: max
	});
}
// libs/contracts/src/headers.ts
/** Schema of X-Correlation-ID on an operation that declares it: a UUID, which is converted to lower case. */
const correlationIdHeader = uuid;
const idempotencyKeys = {
	120: idempotencyKey(120),
	255: idempotencyKey(255)
};
/** Returns the schema of an Idempotency-Key: 1 to `maxLength` printable ASCII characters without spaces. */
function idempotencyKeyHeader(maxLength) {
	return idempotencyKeys[maxLength];
}
function idempotencyKey(maxLength) {
	const pattern = /^[\x21-\x7e]+$/;
	return z.string().check((payload) => {
		const { value } = payload;
		if (value.length === 0) payload.issues.push({
			code: "too_small",
			origin: "string",
			minimum: 1,
			inclusive: true,
			input: value
		});
		else if (value.length > maxLength) payload.issues.push({
			code: "too_big",
			origin: "string",
			maximum: maxLength,
			inclusive: true,
			input: value
		});
		else if (!pattern.test(value)) payload.issues.push({
			code: "invalid_format",
			format: "idempotency_key",
			input: value
		});
	}).meta({
		minLength: 1,
		maxLength,
		pattern: pattern.source
	});
}
// libs/contracts/src/operation.ts
/** Returns the auth of an operation that requires a Project Credential with `scope`. */
function projectCredential(scope) {
	return {
		scheme: "projectCredential",
		scope
	};
}
/** The auth of an operation that requires a recently authenticated Platform Session. */
const platformSession = { scheme: "platformSession" };
/**
* The auth of an operation that anyone may call, because a single-use or signed token protects it, or because it
* reveals nothing.
*/
const noAuth = { scheme: "none" };
/** The usual rule for Idempotency-Keys: a repeat gets the first outcome. */
const replayedKey = {
	maxLength: 120,
	replay: "outcome",
	reusedStatus: 422
};
/**
* The rule for Idempotency-Keys on operations whose response contains a secret, which an identical retry can recover.
*/
const recoveredKey = {
	maxLength: 120,
	replay: "service",
	reusedStatus: 422
};
const adsOperations = { "ads.recordViewableImpression": {
	method: "POST",
	path: "/advertising/viewable-impressions",
	summary: "Record a verified Viewable Impression",
	description: "The signed token identifies repeated reports: an impression is recorded and charged once.",
	upstream: "ads",
	transport: "call",
	auth: noAuth,
	correlationIdDeclared: true,
	idempotency: null,
	quota: null,
	params: null,
	body: z.strictObject({
		token: text({ max: 4096 }).describe("The signed ad decision token."),
		visible_ratio_basis_points: integer(0, 1e4).describe("Smallest share of the ad's pixels that was in view during this time, in hundredths of a percent: 5000 is half."),
		duration_milliseconds: integer(0, 36e5).describe("Longest uninterrupted time for which at least that share was in view.")
	}),
	status: 200,
	response: z.object({ data: z.object({
		recorded: z.boolean().describe("False if this token was recorded earlier."),
		charged_minor: integer(0).describe("Amount charged, in minor currency units."),
		destination_url: uri(2048).nullable().describe("Address that a click on the ad opens. Null if the campaign has none."),
		attribution_token: z.string().nullish().describe("Token that identifies the impression when you attribute clicks. Null if there is none.")
	}).meta({
		id: "ViewableImpressionResult",
		description: "Result of reporting an impression."
	}) }).meta({ id: "ViewableImpressionResponse" }),
	errors: [
		"decision_token_invalid",
		"decision_token_expired",
		"viewability_not_met"
	],
	cors: {
		sent: [],
		read: []
	},
	served: true
} };
// libs/contracts/src/operations/edge.ts
/** The contract's version, sent in `meta.release` and by the health probe. */
const contractRelease = "0.1.0";
const componentStatus = z.enum([
	"ok",
	"degraded",
	"down"
]).meta({
	id: "HealthStatus",
	description: "`ok`: everything responds. `degraded`: some parts do not respond. `down`: nothing responds."
});
const healthComponent = z.object({
	name: z.string().describe("Name of the service, such as `files-svc`."),
	status: componentStatus
}).meta({
	id: "HealthComponent",
	description: "The health of one service."
});
const Health = z.object({ data: z.object({
	status: componentStatus,
	release: z.string().describe("Version of the API contract."),
	components: z.array(healthComponent).describe("The services behind the gateway.")
}).meta({
	id: "Health",
	description: "The health of the platform and its services."
}) }).meta({ id: "HealthResponse" });
const Money = z.strictObject({
	currency: text({
		max: 3,
		pattern: /^[A-Z]{3}$/
	}).describe("ISO 4217 code, such as `JPY`."),
	minor: integer().describe("Amount in minor currency units.")
}).meta({
	id: "Money",
	description: "An amount of money."
});
const NoopBody = z.looseObject({ money: Money });
const NoopResult = z.object({
	data: z.object({
		money: Money,
		status: z.enum(["queued", "completed"]).meta({
			id: "NoopStatus",
			description: "Status that an actual request would have had."
		})
	}).meta({
		id: "NoopResult",
		description: "The validated request."
	}),
	meta: z.object({
		release: z.string().describe("Version of the API contract."),
		idempotency_key: z.string().describe("The request's Idempotency-Key."),
		correlation_id: uuid.describe("Correlation id of the current request, even if the response is replayed."),
		replayed: z.boolean().describe("True if this is the stored response of an earlier request.")
	}).meta({
		id: "NoopMeta",
		description: "Information about the response itself."
	})
}).meta({ id: "NoopResponse" });
const edgeOperations = {
	"edge.getHealth": {
		method: "GET",
		path: "/health",
		summary: "Probe the health of the service and its components",
		description: "Responds within a second, even if every service behind the gateway hangs. The HTTP status is always 200; the body contains the health status.",
		upstream: "edge",
		transport: "call",
		isProbe: true,
		auth: noAuth,
		correlationIdDeclared: false,
		idempotency: null,
		quota: null,
		params: null,
		body: null,
		status: 200,
		response: Health,
		errors: [],
		served: true
	},
	"edge.noop": {
		method: "POST",
		path: "/noop",
		summary: "Validate a request against the contract, without side effects",
		description: "A repeat with the same key and payload replays the first response, with `meta.replayed` true. The same key with a different payload is rejected with 409.",
		upstream: "edge",
		transport: "call",
		auth: noAuth,
		correlationIdDeclared: true,
		idempotency: {
			maxLength: 255,
			replay: "outcome",
			reusedStatus: 409
		},
		quota: null,
		params: null,
		body: NoopBody,
		status: 202,
		response: NoopResult,
		errors: [],
		served: true
	}
};
// libs/contracts/src/whole-value.ts
const isContainer = (value, isArray) => typeof value === "object" && value !== null && Array.isArray(value) === isArray;
/**
* Adds a rule about the whole value to `schema`. The rule also runs if other parts of the value are invalid, so that
* the caller receives all violations in one response. `rule` must therefore accept values with missing parts and parts
* of another type.
*/
function withWholeValueRule(schema, rule) {
	const isArray = schema.def.type === "array";
	return schema.superRefine((value, context) => {
		for (const { path, violation, message } of rule(value)) context.addIssue({
			code: "custom",
			path: [...path],
			params: { violation },
			message,
			input: value
		});
	}, { when: (payload) => isContainer(payload.value, isArray) });
}
// libs/contracts/src/operations/events.ts
const opaqueReference = text({
	max: 255,
	pattern: /^[A-Za-z0-9._:@/+=-]+$/
});
const CreateProjectAuditBody = z.strictObject({
	actor_id: opaqueReference.describe("Opaque reference to the person or system that acted. Do not send a name or an address."),
	action: dottedName.describe("The action, such as `order.refund`."),
	resource_type: dottedName.describe("Kind of resource that the action affected."),
	resource_id: opaqueReference.describe("Opaque reference to that resource."),
	outcome: z.enum([
		"succeeded",
		"failed",
		"denied"
	]).meta({
		id: "ProjectAuditOutcome",
		description: "Outcome of the action."
	})
});
const PublishDomainEventBody = withWholeValueRule(z.strictObject({
	type: dottedName.describe("Kind of event, such as `order.placed`."),
	schema_version: integer(1, 65535).describe("Version of the schema that `data` follows."),
	data: jsonObject.describe("Your own JSON, stored unchanged."),
	stream_id: text({ max: 180 }).nullish().describe("Stream that the event belongs to. Send it together with `sequence`, or send neither."),
	sequence: integer(1).nullish().describe("The event's place in its stream. Events of a stream may be published in any order."),
	occurred_at: dateTime.nullish().describe("Time at which the event happened. Omit it if the event happens now.")
}).meta({ dependentRequired: {
	stream_id: ["sequence"],
	sequence: ["stream_id"]
} }), ({ stream_id = null, sequence = null }) => {
	if (stream_id === null === (sequence === null)) return [];
	return [{
		path: [stream_id === null ? "stream_id" : "sequence"],
		violation: "required",
		message: "stream_id and sequence must be given together, or neither"
	}];
});
const DomainEventEnvelope = z.object({ data: z.object({
	id: uuid.describe("Id of the event."),
	project_client_id: uuid.describe("The Project Client whose log contains the event."),
	type: dottedName.describe("Kind of event, as it was published."),
	schema_version: integer(1, 65535).describe("Version of the schema that `data` follows."),
	data: jsonObject.describe("The publisher's JSON, as it was sent."),
	stream_id: text({ max: 180 }).nullable().describe("The event's stream, or null if it has none."),
	sequence: integer(1).nullable().describe("The event's place in its stream, or null if it has no stream."),
	occurred_at: dateTime.nullable().describe("Time at which the event happened, as it was published. Null if it was not given."),
	published_at: dateTime.describe("Time at which the platform recorded the event.")
}).meta({
	id: "DomainEventEnvelope",
	description: "A Domain Event as it is stored in the log."
}) }).meta({ id: "DomainEventResponse" });
const RegisterScheduledOperationBody = z.strictObject({
	name: dottedName.describe("Name of the operation, sent with every call."),
	url: uri(2048).describe("Address that the platform calls with POST. It must be https. Loopback addresses are allowed only in development and sandbox."),
	secret: text({
		min: 32,
		max: 255
	}).describe("Secret that signs every call (Standard Webhooks). It is never shown again."),
	max_attempts: integer(1, 100).default(5).describe("Number of attempts before a call counts as failed.")
});
const CreatedId = z.object({ data: z.object({ id: uuid.describe("Id of the new record.") }).meta({
	id: "CreatedId",
	description: "The id of the new record."
}) }).meta({ id: "CreatedIdResponse" });
const eventsOperations = {
	"events.createProjectAudit": {
		method: "POST",
		path: "/project-audits",
		summary: "Record a Project Audit fact",
		description: "A Project Audit contains only opaque references, an action and an outcome. If you repeat the identical fact with the same key, the response has the same Project Audit id.",
		upstream: "events",
		transport: "call",
		auth: projectCredential("audit:write"),
		correlationIdDeclared: true,
		idempotency: replayedKey,
		quota: {
			resource: "audit_retention",
			amount: 1
		},
		params: null,
		body: CreateProjectAuditBody,
		status: 201,
		response: CreatedId,
		errors: [],
		served: true
	},
	"events.publishDomainEvent": {
		method: "POST",
		path: "/domain-events",
		summary: "Publish a Domain Event",
		description: "Once the API responds with success, the event is stored durably. It is stored once in the Project Client's log, however often you send it with the same key.",
		upstream: "events",
		transport: "call",
		auth: projectCredential("events:write"),
		correlationIdDeclared: true,
		idempotency: replayedKey,
		quota: {
			resource: "events",
			amount: 1
		},
		params: null,
		body: PublishDomainEventBody,
		status: 200,
		response: DomainEventEnvelope,
		errors: ["stream_sequence_conflict"],
		served: true
	},
	"events.registerScheduledOperation": {
		method: "POST",
		path: "/scheduled-operations",
		summary: "Register the endpoint of a scheduled operation",
		description: "Repeat the request with the same key only if name, url, secret and max_attempts are unchanged.",
		upstream: "events",
		transport: "call",
		auth: projectCredential("schedules:write"),
		correlationIdDeclared: true,
		idempotency: replayedKey,
		quota: null,
		params: null,
		body: RegisterScheduledOperationBody,
		status: 200,
		response: CreatedId,
		errors: ["scheduled_url_not_allowed"],
		served: true
	}
};
// libs/contracts/src/operations/files.ts
/** The content types that a File Object may have. */
const fileContentTypes = [
	"application/pdf",
	"image/gif",
	"image/jpeg",
	"image/png",
	"text/plain"
];
/** Maximum size of a file in bytes: 1 GiB. */
const fileBytesMax = 1073741824;
const CreateUploadGrantBody = z.strictObject({
	expected_sha256: hex64.describe("SHA-256 of the bytes that you will upload, in lower-case hex."),
	expected_content_type: z.enum(fileContentTypes).meta({
		id: "FileContentType",
		description: "Media type of the bytes. The platform inspects the bytes to verify it."
	}),
	maximum_bytes: integer(1, fileBytesMax).describe("Maximum number of bytes that you will upload. They are reserved from the quota until the upload is complete.")
});
const UploadGrant = z.object({ data: z.object({
	file_object_id: uuid.describe("Id of the File Object that the upload creates."),
	upload_token: hex64.describe("Token for a single upload. It is returned only once."),
	expires_at: dateTime.describe("Time until which the token can be used.")
}).meta({
	id: "UploadGrant",
	description: "Permission for one upload."
}) }).meta({ id: "UploadGrantResponse" });
const UploadedFile = z.object({ data: z.object({ file_object_id: uuid.describe("Id of the File Object. It stays in quarantine until it is classified.") }).meta({
	id: "UploadedFile",
	description: "Confirmation that the bytes were received."
}) }).meta({ id: "UploadedFileResponse" });
const FileObject = z.object({ data: z.object({
	id: uuid.describe("Id of the File Object."),
	status: z.enum([
		"pending_upload",
		"quarantined",
		"available",
		"rejected"
	]).meta({
		id: "FileObjectStatus",
		description: "`quarantined`: the file is being inspected. `available`: the file can be downloaded. `rejected`: the file can never be downloaded."
	}),
	rejection_reason: z.enum([
		"malware_detected",
		"content_type_mismatch",
		"image_undecodable",
		"image_too_large",
		"text_not_utf8",
		"pdf_unsafe"
	]).meta({
		id: "FileRejectionReason",
		description: "Reason why the inspection rejected the file."
	}).nullable().describe("Null unless the file is rejected.")
}).meta({
	id: "FileObject",
	description: "An uploaded file and its classification."
}) }).meta({ id: "FileObjectResponse" });
const DownloadGrant = z.object({ data: z.object({
	grant_id: uuid.describe("Id of the grant."),
	download_url: uri(2048).describe("URL that returns the bytes to anyone who has it. Keep it as secret as the file."),
	expires_at: dateTime.describe("Time until which the URL can be used.")
}).meta({
	id: "DownloadGrant",
	description: "Permission to download a file from a private URL."
}) }).meta({ id: "DownloadGrantResponse" });
const PublicAsset = z.object({ data: z.object({
	id: uuid.describe("Id of the Public Asset."),
	version: integer(1).describe("Number of images published so far from this File Object with this preset."),
	url: uri(2048).describe("URL that returns the image to anyone. Its content never changes."),
	sha256: hex64.describe("SHA-256 of the published bytes.")
}).meta({
	id: "PublicAsset",
	description: "An image that anyone can read."
}) }).meta({ id: "PublicAssetResponse" });
const FileObjectParams = z.object({ fileObjectId: uuid.describe("Id of the File Object, from the upload grant.") });
const filesOperations = {
	"files.createUploadGrant": {
		method: "POST",
		path: "/file-objects/upload-grants",
		summary: "Start an upload",
		description: "The upload token is returned only once. A repeat with the same key is rejected. If you lost the response, ask for a new grant with a new key.",
		upstream: "files",
		transport: "call",
		auth: projectCredential("files:write"),
		correlationIdDeclared: true,
		idempotency: {
			maxLength: 120,
			replay: "refuse",
			reusedStatus: 422
		},
		quota: {
			resource: "storage_bytes",
			amount: { bodyField: "maximum_bytes" }
		},
		params: null,
		body: CreateUploadGrantBody,
		status: 200,
		response: UploadGrant,
		errors: ["upload_grant_already_issued"],
		served: true
	},
	"files.uploadFile": {
		method: "PUT",
		path: "/file-uploads/{uploadToken}",
		summary: "Upload the bytes of a File Object",
		description: "The token is consumed before the first byte is read, even if the upload fails. If you do not know whether an upload succeeded, obtain a new grant. Pages of any origin may upload (CORS, without credentials). A preflight request does not consume the token.",
		cors: {
			sent: [],
			read: []
		},
		upstream: "files",
		transport: "proxy",
		auth: noAuth,
		correlationIdDeclared: false,
		idempotency: null,
		quota: null,
		params: z.object({ uploadToken: hex64.describe("The upload_token of the grant.") }),
		body: null,
		bodyBytesMax: fileBytesMax,
		rawBody: ["application/octet-stream", ...fileContentTypes],
		status: 200,
		response: UploadedFile,
		errors: [
			"upload_token_invalid",
			"upload_checksum_mismatch",
			"upload_too_large",
			"upload_content_type_mismatch",
			"unsupported_media_type"
		],
		served: true
	},
	"files.completeFileObject": {
		method: "POST",
		path: "/file-objects/{fileObjectId}/complete",
		summary: "Classify an uploaded File Object",
		description: "Returns the current classification. You can repeat the request safely.",
		upstream: "files",
		transport: "call",
		auth: projectCredential("files:write"),
		correlationIdDeclared: true,
		idempotency: null,
		quota: null,
		params: FileObjectParams,
		body: null,
		status: 200,
		response: FileObject,
		errors: ["file_object_not_found", "file_object_not_uploaded"],
		served: true
	},
	"files.createDownloadGrant": {
		method: "POST",
		path: "/file-objects/{fileObjectId}/download-grants",
		summary: "Grant a private download",
		description: "If you lost the response, repeat the request with the same key and File Object to get it again.",
		upstream: "files",
		transport: "call",
		auth: projectCredential("files:read"),
		correlationIdDeclared: true,
		idempotency: recoveredKey,
		quota: null,
		params: FileObjectParams,
		body: null,
		status: 200,
		response: DownloadGrant,
		errors: ["file_object_not_found", "file_object_not_available"],
		served: true
	},
	"files.createPublicAsset": {
		method: "POST",
		path: "/file-objects/{fileObjectId}/public-assets",
		summary: "Publish an image under an approved preset",
		description: "The preset determines the size and format of the image. Publishing removes metadata, such as the place where a photo was taken.",
		upstream: "files",
		transport: "call",
		auth: projectCredential("files:write"),
		correlationIdDeclared: true,
		idempotency: replayedKey,
		quota: null,
		params: FileObjectParams,
		body: z.strictObject({ image_preset_id: uuid.describe("Id of an approved image preset. An operator gives it to you.") }),
		status: 200,
		response: PublicAsset,
		errors: [
			"file_object_not_found",
			"file_object_not_available",
			"file_object_not_image",
			"image_preset_not_found"
		],
		served: true
	}
};
// libs/contracts/src/scopes.ts
/**
* The scopes of Project Credentials, a closed vocabulary. The operation table and the issuing of credentials use it.
* Each scope has the form `resource:act` in lower-case letters, which identity-svc requires.
*/
const scopes = [
	"notifications:write",
	"clients:read",
	"audit:write",
	"identity-migrations:write",
	"files:write",
	"files:read",
	"events:write",
	"schedules:write"
];
const ProjectClient = z.object({ data: z.strictObject({
	id: uuid.describe("Id of the Project Client."),
	name: z.string().describe("Display name of the Project Client."),
	environment: z.enum([
		"development",
		"sandbox",
		"staging",
		"production"
	]).meta({
		id: "Environment",
		description: "What the Project Client is used for."
	}),
	scopes: z.array(z.enum(scopes).meta({
		id: "Scope",
		description: "What a credential may do."
	})).describe("The scopes granted to the credential.")
}).meta({
	id: "ProjectClient",
	description: "The Project Client that the credential selects."
}) }).meta({ id: "ProjectClientResponse" });
const transactionFields = {
	id: uuid.describe("Id of the transaction."),
	project_client_id: uuid.describe("The Project Client whose subject migrates."),
	legacy_subject: text({ max: 255 }).describe("Id of the person in your old user store."),
	email: email(255).describe("The asserted email address."),
	locale: locale.describe("Language of the hosted pages and emails, such as `ja`."),
	correlation_id: uuid.describe("Your own id for the migration, so that you can find it in your logs."),
	expires_at: dateTime.describe("Time until which an account can be linked."),
	status: z.enum([
		"pending",
		"link_pending",
		"completed",
		"expired"
	]).meta({
		id: "IdentityMigrationStatus",
		description: "`link_pending`: an account is linked, and the Project Backend has not yet confirmed that it recorded the link."
	}),
	account_id: uuid.nullable().describe("Null until an account is linked.")
};
const IdentityMigrationTransaction = z.object({ data: z.object(transactionFields).meta({
	id: "IdentityMigrationTransaction",
	description: "The migration of one legacy subject to a Platform Account."
}) }).meta({ id: "IdentityMigrationTransactionResponse" });
const CreatedIdentityMigrationTransaction = z.object({ data: z.object({
	...transactionFields,
	flow_token: hex64.describe("Secret of the transaction. It is returned only when the transaction is created.")
}).meta({
	id: "CreatedIdentityMigrationTransaction",
	description: "A new transaction with its flow token."
}) }).meta({ id: "CreatedIdentityMigrationTransactionResponse" });
const CreateIdentityMigrationTransactionBody = z.strictObject({
	project_client_id: uuid.describe("Id of the Project Client that makes the request."),
	legacy_subject: text({ max: 255 }).describe("Id of the person in your old user store."),
	email: email(255).describe("Email address that you know for the person. The account must verify it."),
	locale: locale.describe("Language of the hosted pages and emails, such as `ja`."),
	correlation_id: uuid.describe("Your own id for the migration, so that you can find it in your logs."),
	expires_at: dateTime.describe("Time until which an account can be linked: in the future, and at most 7 days ahead.")
});
const CreateHostedContinuationBody = z.strictObject({
	flow_token: hex64.describe("The flow_token from the response that created the transaction."),
	return_uri: uri(2048).describe("Address to which the browser returns. It must be on the Project Client's allow-list, character for character."),
	state: text({ max: 2048 }).describe("Your own value, which is added unchanged to the return_uri.")
});
const HostedContinuation = z.object({ data: z.object({
	id: uuid.describe("Id of the continuation."),
	continuation_token: hex64.describe("Secret for the form that the browser posts. It is returned only here."),
	expires_at: dateTime.describe("Time until which the browser can post the form.")
}).meta({
	id: "HostedContinuation",
	description: "Access to the hosted pages for one browser."
}) }).meta({ id: "HostedContinuationResponse" });
const EmailVerification = z.object({ data: z.object({ status: z.literal("verification_pending").describe("An email has been queued.") }).meta({
	id: "EmailVerification",
	description: "The state of the requested verification."
}) }).meta({ id: "EmailVerificationResponse" });
const VerifiedEmail = z.object({ data: z.object({ status: z.literal("verified").describe("The address is verified for this transaction.") }).meta({
	id: "VerifiedEmail",
	description: "Result of following the link."
}) }).meta({ id: "VerifiedEmailResponse" });
// libs/contracts/src/operations/identity.ts
const transactionId = uuid.describe("Id of the transaction.");
const TransactionParams = z.object({ transactionId });
const flowToken = hex64.describe("The flow_token from the response that created the transaction.");
const FlowTokenBody = z.strictObject({ flow_token: flowToken });
const identityOperations = {
	"identity.getProjectClient": {
		method: "GET",
		path: "/project-client",
		summary: "Read the authenticated Project Client",
		upstream: "identity",
		transport: "call",
		auth: projectCredential("clients:read"),
		correlationIdDeclared: true,
		idempotency: null,
		quota: null,
		params: null,
		body: null,
		status: 200,
		response: ProjectClient,
		errors: [],
		served: true
	},
	"identity.createIdentityMigrationTransaction": {
		method: "POST",
		path: "/identity-migration-transactions",
		summary: "Create an Identity Migration Transaction",
		description: "Create a transaction only after you have recently authenticated the legacy subject. Pass the flow_token of the response to the registration or linking flow. If you lost the response, repeat the identical request to get it again.",
		upstream: "identity",
		transport: "call",
		auth: projectCredential("identity-migrations:write"),
		correlationIdDeclared: false,
		idempotency: recoveredKey,
		quota: null,
		params: null,
		body: CreateIdentityMigrationTransactionBody,
		status: 201,
		response: CreatedIdentityMigrationTransaction,
		errors: ["project_client_mismatch", "identity_migration_transaction_expired"],
		served: true
	},
	"identity.getIdentityMigrationTransaction": {
		method: "GET",
		path: "/identity-migration-transactions/{transactionId}",
		summary: "Read an Identity Migration Transaction",
		upstream: "identity",
		transport: "call",
		auth: projectCredential("identity-migrations:write"),
		correlationIdDeclared: false,
		idempotency: null,
		quota: null,
		params: TransactionParams,
		body: null,
		status: 200,
		response: IdentityMigrationTransaction,
		errors: ["identity_migration_transaction_not_found"],
		errorStatuses: { identity_migration_transaction_not_found: 404 },
		served: true
	},
	"identity.createHostedContinuation": {
		method: "POST",
		path: "/identity-migration-transactions/{transactionId}/hosted-continuations",
		summary: "Start a hosted continuation for one browser",
		description: "Pass on only the continuation id and the continuation_token, in a direct form POST to /identity-migration/continue. If you lost the response, repeat the identical request to get the same continuation again.",
		upstream: "identity",
		transport: "call",
		auth: projectCredential("identity-migrations:write"),
		correlationIdDeclared: false,
		idempotency: recoveredKey,
		quota: null,
		params: TransactionParams,
		body: CreateHostedContinuationBody,
		status: 201,
		response: HostedContinuation,
		errors: [
			"identity_migration_transaction_not_found",
			"identity_migration_transaction_expired",
			"identity_migration_state_conflict",
			"flow_token_invalid",
			"flow_token_locked",
			"return_uri_not_allowed"
		],
		served: true
	},
	"identity.continueIdentityMigration": {
		method: "POST",
		path: "/identity-migration/continue",
		summary: "Continue in the browser (form POST)",
		description: "Binds the continuation to the first browser that posts it, and redirects that browser to the hosted pages. Errors are HTML pages.",
		upstream: "identity",
		transport: "proxy",
		auth: noAuth,
		correlationIdDeclared: false,
		idempotency: null,
		quota: null,
		params: null,
		body: z.object({
			continuation_id: uuid.describe("Id of the hosted continuation."),
			continuation_token: hex64.describe("The continuation_token of that continuation.")
		}),
		rawBody: ["application/x-www-form-urlencoded"],
		status: 303,
		response: null,
		errors: [],
		served: true
	},
	"identity.linkIdentityMigrationTransaction": {
		method: "POST",
		path: "/identity-migration-transactions/{transactionId}/link",
		summary: "Link the signed-in account to the transaction",
		description: "The account must have an email Login Identifier that was verified after the transaction was created. A repeat by the same account returns the existing link.",
		upstream: "identity",
		transport: "call",
		auth: platformSession,
		correlationIdDeclared: false,
		idempotency: null,
		quota: null,
		params: TransactionParams,
		body: FlowTokenBody,
		status: 200,
		response: IdentityMigrationTransaction,
		errors: [
			"identity_migration_transaction_not_found",
			"identity_migration_transaction_expired",
			"identity_migration_state_conflict",
			"flow_token_invalid",
			"flow_token_locked",
			"email_not_verified",
			"account_already_linked"
		],
		served: true
	},
	"identity.confirmLink": {
		method: "POST",
		path: "/identity-migration-transactions/{transactionId}/confirm-link",
		summary: "Confirm that the Project Backend has recorded the link",
		description: "Call this operation after your backend has durably recorded the account id. You can repeat the request safely.",
		upstream: "identity",
		transport: "call",
		auth: projectCredential("identity-migrations:write"),
		correlationIdDeclared: false,
		idempotency: null,
		quota: null,
		params: TransactionParams,
		body: null,
		status: 200,
		response: IdentityMigrationTransaction,
		errors: [
			"identity_migration_transaction_not_found",
			"identity_migration_transaction_expired",
			"identity_migration_state_conflict",
			"account_already_linked"
		],
		served: true
	},
	"identity.requestEmailVerification": {
		method: "POST",
		path: "/identity-migration-transactions/{transactionId}/email-verification",
		summary: "Email a verification link to the asserted address",
		description: "The account must own the asserted address. A repeat immediately invalidates the previous link. The emails of a transaction are at least 30 seconds apart; if you ask earlier, the email with the newest link is sent when the 30 seconds are over. A transaction can have ten emails.",
		upstream: "identity",
		transport: "call",
		auth: platformSession,
		correlationIdDeclared: false,
		idempotency: null,
		quota: null,
		params: TransactionParams,
		body: z.object({ flow_token: flowToken }),
		status: 202,
		response: EmailVerification,
		errors: [
			"identity_migration_transaction_not_found",
			"identity_migration_transaction_expired",
			"identity_migration_state_conflict",
			"flow_token_invalid",
			"flow_token_locked",
			"email_not_owned",
			"verification_limit_reached"
		],
		served: true
	},
	"identity.verifyEmail": {
		method: "GET",
		path: "/identity-migration-transactions/{transactionId}/verify-email/{token}",
		summary: "Follow an emailed verification link",
		description: "Browsers (`Accept: text/html`) get a page. HEAD does not consume the link.",
		upstream: "identity",
		transport: "proxy",
		auth: noAuth,
		correlationIdDeclared: false,
		idempotency: null,
		quota: null,
		params: z.object({
			transactionId,
			token: hex64.describe("The token of the emailed link.")
		}),
		body: null,
		status: 200,
		response: VerifiedEmail,
		errors: ["verification_link_invalid"],
		served: true
	}
};
// libs/contracts/src/operations/notify-schemas.ts
/** The channels through which a notification can be sent. */
const channels = [
	"email",
	"fcm",
	"apns",
	"line",
	"web_push"
];
/** The channels for which a project registers Delivery Endpoints. LINE endpoints are linked by operators. */
const registrableChannels = [
	"fcm",
	"apns",
	"web_push"
];
const templateKey = text({ max: 120 }).describe("Key of the template in the client's catalog.");
const channel = z.enum(channels).meta({
	id: "Channel",
	description: "How a notification reaches its recipient."
});
const CatalogEntry = z.strictObject({
	event_key: dottedName.describe("Kind of event that the notification reports, such as `order.shipped`."),
	template_key: templateKey,
	channel,
	purpose: dottedName.describe("Purpose for which the recipient gives consent, such as `transactional.order`."),
	locale: locale.describe("Language of the template."),
	sender_profile: text({ max: 120 }).describe("Name of the sender profile."),
	variables: variableDeclarations
}).meta({
	id: "CatalogEntry",
	description: "A notification that a project sends, on one channel and in one language."
});
/**
* Returns the unique key of a catalog entry, or null if a part of the key is missing. NUL separates the parts, because
* no field may contain it.
*/
function catalogEntryName(entry) {
	if (typeof entry !== "object" || entry === null) return null;
	const { event_key, channel, locale } = entry;
	return typeof event_key === "string" && typeof channel === "string" && typeof locale === "string" ? `${event_key}\0${channel}\0${locale}` : null;
}
const catalogEntries = withWholeValueRule(z.array(CatalogEntry).min(1).max(500), (entries) => {
	const seen = /* @__PURE__ */ new Set();
	const violations = [];
	entries.forEach((entry, index) => {
		const name = catalogEntryName(entry);
		if (name !== null && seen.size === seen.add(name).size) violations.push({
			path: [index],
			violation: "not_unique",
			message: "must differ from every earlier entry in event_key, channel or locale"
		});
	});
	return violations;
});
const ValidateNotificationCatalogBody = z.object({ entries: catalogEntries.describe("The catalog; no two entries share event_key, channel and locale.") });
const endpointId = uuid.describe("Id of the Delivery Endpoint.");
const CatalogDigest = z.object({ data: z.object({
	entries: integer(1).describe("Number of entries."),
	digest: hex64.describe("SHA-256 of the canonical catalog (RFC 8785), whatever the order of its entries.")
}).meta({
	id: "CatalogDigest",
	description: "Digest of a valid catalog."
}) }).meta({ id: "CatalogDigestResponse" });
const EmailEndpointRegistration = z.object({ data: z.object({
	id: endpointId,
	status: z.enum(["pending", "verified"]).meta({
		id: "EmailEndpointStatus",
		description: "`verified`: emails can be sent to the address."
	}),
	verification_token: hex64.nullable().describe("Send this token to the address; the owner returns it to you. Null if the address is already verified.")
}).meta({
	id: "EmailEndpointRegistration",
	description: "An email Delivery Endpoint and its verification token."
}) }).meta({ id: "EmailEndpointRegistrationResponse" });
const VerifiedEmailEndpoint = z.object({ data: z.object({
	id: endpointId,
	status: z.literal("verified").describe("Emails can be sent to the address.")
}).meta({
	id: "VerifiedEmailEndpoint",
	description: "A verified email Delivery Endpoint."
}) }).meta({ id: "VerifiedEmailEndpointResponse" });
const consent = z.object({
	purpose: text({ max: 120 }).describe("Purpose of the consent."),
	granted: z.boolean().describe("True if consent is granted, false if it was withdrawn.")
}).meta({
	id: "DeliveryConsent",
	description: "A recipient's consent for one purpose."
});
const ChannelDeliveryEndpoint = z.object({ data: z.object({
	id: endpointId,
	channel: z.enum([
		"fcm",
		"apns",
		"web_push",
		"line"
	]).meta({
		id: "EndpointChannel",
		description: "How notifications reach the endpoint."
	}),
	status: z.enum([
		"pending",
		"verified",
		"verification_failed",
		"verification_locked",
		"revoked"
	]).meta({
		id: "DeliveryEndpointStatus",
		description: "Notifications are sent only to a `verified` endpoint. A `pending` endpoint waits for the token that was sent through its channel."
	}),
	verified_at: dateTime.nullable().describe("Time at which the endpoint was verified. Null until then."),
	consents: z.array(consent).describe("The consents that were granted or withdrawn so far.")
}).meta({
	id: "ChannelDeliveryEndpoint",
	description: "A device, browser or LINE user. Its identifier is never returned."
}) }).meta({ id: "ChannelDeliveryEndpointResponse" });
const intentFields = {
	sender_profile_id: uuid.describe("Id of the sender profile. An operator gives it to you."),
	template_key: templateKey,
	locale: locale.describe("Language of the template."),
	endpoint_id: uuid.describe("Id of the verified Delivery Endpoint."),
	variables
};
const CreateNotificationIntentBody = z.strictObject({
	...intentFields,
	marketing_purpose: text({ max: 120 }).nullish().describe("Sends the email as a marketing email with one-click unsubscribe.")
});
const CreateChannelNotificationIntentBody = z.strictObject({
	...intentFields,
	purpose: text({ max: 120 }).describe("Purpose of the notification. The endpoint must have granted consent for it.")
});
const deliveryStatus = z.enum([
	"pending",
	"sending",
	"sent",
	"failed"
]).meta({
	id: "DeliveryStatus",
	description: "`pending`: the delivery waits for its next attempt. `sent`: the provider accepted it. `failed`: the platform has given up."
});
const NotificationIntent = z.object({ data: z.object({
	intent_id: uuid.describe("Id of the intent."),
	delivery_id: uuid.describe("Id of the delivery. Use it to read the status later."),
	status: deliveryStatus
}).meta({
	id: "NotificationIntent",
	description: "An accepted notification, which the platform will send."
}) }).meta({ id: "NotificationIntentResponse" });
const NotificationDelivery = z.object({ data: z.object({
	id: uuid.describe("Id of the delivery."),
	channel,
	status: deliveryStatus,
	attempts: integer(0).describe("Number of attempts so far."),
	provider_status: z.string().nullable().describe("Status that the provider returned. Null until it has responded."),
	last_error_code: z.string().nullable().describe("Code of the last error. Null if no error occurred.")
}).meta({
	id: "NotificationDelivery",
	description: "The sending of one notification to one endpoint."
}) }).meta({ id: "NotificationDeliveryResponse" });
// libs/contracts/src/operations/notify.ts
const EndpointParams = z.object({ endpointId: uuid.describe("Id of the Delivery Endpoint.") });
const TokenBody = z.object({ token: verificationToken.describe("The verification token of the newest registration.") });
const common = {
	upstream: "notify",
	transport: "call",
	auth: projectCredential("notifications:write"),
	correlationIdDeclared: true,
	served: true
};
const delivery = {
	resource: "deliveries",
	amount: 1
};
const notifyOperations = {
	"notify.validateNotificationCatalog": {
		...common,
		method: "POST",
		path: "/notification-catalog/validate",
		summary: "Validate a Notification Catalog",
		description: "Validates the catalog without applying it. Entries are unique by event_key, channel and locale. Operators see which entries of the most recently validated catalog have no template, sender profile or consent yet.",
		idempotency: null,
		quota: null,
		params: null,
		body: ValidateNotificationCatalogBody,
		bodyBytesMax: 4194304,
		status: 200,
		response: CatalogDigest,
		errors: []
	},
	"notify.registerEmailDeliveryEndpoint": {
		...common,
		method: "POST",
		path: "/email-delivery-endpoints",
		summary: "Register an email Delivery Endpoint",
		description: "Creates the endpoint, or returns the existing one with the same normalized address (trimmed, NFC, lower case).",
		idempotency: null,
		quota: null,
		params: null,
		body: z.strictObject({ address: email(320, { trim: true }).describe("The email address to send to.") }),
		status: 200,
		response: EmailEndpointRegistration,
		errors: []
	},
	"notify.verifyEmailDeliveryEndpoint": {
		...common,
		method: "POST",
		path: "/email-delivery-endpoints/{endpointId}/verify",
		summary: "Verify an email Delivery Endpoint",
		description: "The token can be used once.",
		idempotency: null,
		quota: null,
		params: EndpointParams,
		body: TokenBody,
		status: 200,
		response: VerifiedEmailEndpoint,
		errors: [
			"delivery_endpoint_not_found",
			"verification_token_invalid",
			"verification_token_expired",
			"verification_locked"
		]
	},
	"notify.createNotificationIntent": {
		...common,
		method: "POST",
		path: "/notification-intents",
		summary: "Send an email notification",
		description: "If you repeat the request, use the same key and an unchanged body.",
		idempotency: replayedKey,
		quota: delivery,
		params: null,
		body: CreateNotificationIntentBody,
		status: 200,
		response: NotificationIntent,
		errors: [
			"delivery_endpoint_not_found",
			"delivery_endpoint_not_verified",
			"sender_profile_not_found",
			"template_not_found",
			"template_variables_mismatch",
			"channel_mismatch",
			"consent_withdrawn"
		]
	},
	"notify.createChannelNotificationIntent": {
		...common,
		method: "POST",
		path: "/channel-notification-intents",
		summary: "Send a notification by FCM, APNs, LINE or Web Push",
		description: "The endpoint must have granted consent for the purpose. If you repeat the request, use the same key and an unchanged body.",
		idempotency: replayedKey,
		quota: delivery,
		params: null,
		body: CreateChannelNotificationIntentBody,
		status: 200,
		response: NotificationIntent,
		errors: [
			"delivery_endpoint_not_found",
			"delivery_endpoint_not_verified",
			"delivery_endpoint_revoked",
			"sender_profile_not_found",
			"template_not_found",
			"template_variables_mismatch",
			"channel_mismatch",
			"consent_required"
		]
	},
	"notify.registerDeliveryEndpoint": {
		...common,
		method: "POST",
		path: "/notification-endpoints",
		summary: "Register a channel Delivery Endpoint",
		description: "The same Project Client, channel and provider token always refer to the same endpoint. The platform sends the verification token through the channel.",
		idempotency: null,
		quota: null,
		params: null,
		body: z.strictObject({
			channel: z.enum(registrableChannels).meta({
				id: "RegistrableChannel",
				description: "A channel for which a project can register endpoints."
			}),
			identifier: text({
				min: 20,
				max: 4096
			}).describe("The provider's token for the device. For web_push, the PushSubscription as JSON text.")
		}),
		status: 200,
		response: ChannelDeliveryEndpoint,
		errors: []
	},
	"notify.verifyDeliveryEndpoint": {
		...common,
		method: "POST",
		path: "/notification-endpoints/{endpointId}/verify",
		summary: "Verify a channel Delivery Endpoint",
		description: "Consumes the current token. If you did not get a clear response, read the endpoint before you try again.",
		idempotency: null,
		quota: null,
		params: EndpointParams,
		body: TokenBody,
		status: 200,
		response: ChannelDeliveryEndpoint,
		errors: [
			"delivery_endpoint_not_found",
			"delivery_endpoint_revoked",
			"verification_token_invalid",
			"verification_token_expired",
			"verification_locked"
		]
	},
	"notify.getDeliveryEndpoint": {
		...common,
		method: "GET",
		path: "/notification-endpoints/{endpointId}",
		summary: "Read a channel Delivery Endpoint",
		idempotency: null,
		quota: null,
		params: EndpointParams,
		body: null,
		status: 200,
		response: ChannelDeliveryEndpoint,
		errors: ["delivery_endpoint_not_found"]
	},
	"notify.revokeDeliveryEndpoint": {
		...common,
		method: "DELETE",
		path: "/notification-endpoints/{endpointId}",
		summary: "Revoke a channel Delivery Endpoint",
		description: "You can repeat the request safely; the endpoint stays revoked.",
		idempotency: null,
		quota: null,
		params: EndpointParams,
		body: null,
		status: 200,
		response: ChannelDeliveryEndpoint,
		errors: ["delivery_endpoint_not_found"]
	},
	"notify.setDeliveryConsent": {
		...common,
		method: "PUT",
		path: "/notification-endpoints/{endpointId}/consents/{purpose}",
		summary: "Grant or withdraw consent for a purpose",
		description: "You can repeat the request safely; the same value leaves the consent unchanged.",
		idempotency: null,
		quota: null,
		params: EndpointParams.extend({ purpose: text({
			max: 120,
			pattern: /^[a-z][a-z0-9_.-]*$/
		}).describe("Purpose of the consent.") }),
		body: z.strictObject({ granted: z.boolean().describe("True grants the consent, false withdraws it.") }),
		status: 200,
		response: ChannelDeliveryEndpoint,
		errors: ["delivery_endpoint_not_found", "delivery_endpoint_revoked"]
	},
	"notify.getNotificationDelivery": {
		...common,
		method: "GET",
		path: "/notification-deliveries/{deliveryId}",
		summary: "Read a Notification Delivery",
		idempotency: null,
		quota: null,
		params: z.object({ deliveryId: uuid.describe("Id of the delivery, from the intent.") }),
		body: null,
		status: 200,
		response: NotificationDelivery,
		errors: ["notification_delivery_not_found"]
	}
};
// libs/contracts/src/operations/pages.ts
/** Pages and bytes behind links that the platform creates. The owning service validates the path and the body. */
const behindLinks = {
	transport: "proxy",
	published: false,
	auth: noAuth,
	correlationIdDeclared: false,
	idempotency: null,
	quota: null,
	params: null,
	body: null,
	status: 200,
	response: null,
	errors: [],
	served: true
};
/** Pages of any origin may read bytes in ranges and see which range they received. */
const bytesForPages = {
	sent: [
		"Range",
		"If-Range",
		"If-None-Match",
		"If-Modified-Since"
	],
	read: [
		"Accept-Ranges",
		"Content-Disposition",
		"Content-Length",
		"Content-Range",
		"ETag"
	]
};
const pageOperations = {
	"identity.showHostedPage": {
		...behindLinks,
		method: "GET",
		path: "/identity-migration/{page+}",
		summary: "Show a hosted page of an identity migration",
		upstream: "identity"
	},
	"identity.submitHostedPage": {
		...behindLinks,
		method: "POST",
		path: "/identity-migration/{page+}",
		summary: "Submit a form of a hosted page",
		upstream: "identity"
	},
	"files.download": {
		...behindLinks,
		method: "GET",
		path: "/file-downloads/{file+}",
		cors: bytesForPages,
		summary: "Download a File Object by its download_url",
		upstream: "files"
	},
	"files.publicAsset": {
		...behindLinks,
		method: "GET",
		path: "/public-assets/{asset+}",
		cors: bytesForPages,
		summary: "Read a Public Asset by its url",
		upstream: "files"
	},
	"notify.showUnsubscribePage": {
		...behindLinks,
		method: "GET",
		path: "/unsubscribe/{page+}",
		summary: "Show the page of an unsubscribe link",
		upstream: "notify"
	},
	"notify.unsubscribe": {
		...behindLinks,
		method: "POST",
		path: "/unsubscribe/{page+}",
		summary: "Unsubscribe, from the page or by one click (RFC 8058)",
		upstream: "notify"
	}
};
// libs/contracts/src/operations.ts
/** The families of published operations, in the order in which documents list them. */
const operationFamilies = [
	edgeOperations,
	identityOperations,
	filesOperations,
	notifyOperations,
	eventsOperations,
	adsOperations
];
({
	...edgeOperations,
	...identityOperations,
	...filesOperations,
	...notifyOperations,
	...eventsOperations,
	...adsOperations
});
/** The published operations as a list, each with its id. */
const operationList = assertDistinct([...operationFamilies, pageOperations]).filter((operation) => operation.published !== false);
/**
* Combines the operations of all families. Throws if two have the same id, or the same method and path regardless of
* parameter names.
*/
function assertDistinct(families) {
	const ids = /* @__PURE__ */ new Set();
	const routes = /* @__PURE__ */ new Map();
	return families.flatMap((family) => Object.entries(family).map(([id, operation]) => {
		if (ids.has(id)) throw new Error(`Two operations have the id ${id}`);
		ids.add(id);
		const route = `${operation.method} ${operation.path.replace(/\{[^}]+\}/g, "{}")}`;
		const other = routes.get(route);
		if (other !== void 0) throw new Error(`${other} and ${id} are both ${route}`);
		routes.set(route, id);
		return {
			...operation,
			id
		};
	}));
}
// libs/client/src/testing/fail.ts
/** An error of the contract. A handler throws it, and the response is the error envelope. */
var Refusal = class extends Error {
	code;
	details;
	constructor(code, details = {}) {
		super(code);
		this.code = code;
		this.details = details;
	}
};
/** The record that was found, or the error if there is none. */
function found(record, code) {
	if (record === void 0) throw new Refusal(code);
	return record;
}
function check(isFine, code) {
	if (!isFine) throw new Refusal(code);
}
// libs/client/src/testing/state.ts
const newId = () => crypto.randomUUID();
/** A random token of 64 hex characters. */
const newToken = () => `${crypto.randomUUID()}${crypto.randomUUID()}`.replaceAll("-", "");
const inHours = (hours) => new Date(Date.now() + hours * 36e5).toISOString();
const limitByDefault = 1e6;
function newState(options) {
	return {
		projectClient: {
			id: newId(),
			name: "Fake",
			environment: options.environment ?? "development",
			scopes: [...options.scopes ?? scopes]
		},
		credential: `pcred_${newToken().slice(0, 32)}_${newToken()}`,
		returnUris: options.returnUris ?? null,
		imagePresetId: newId(),
		/** Account id by session. */
		sessions: /* @__PURE__ */ new Map(),
		transactions: /* @__PURE__ */ new Map(),
		/** Emailed token by transaction. */
		mailedTokens: /* @__PURE__ */ new Map(),
		/** File record by upload token, and by id. */
		uploads: /* @__PURE__ */ new Map(),
		files: /* @__PURE__ */ new Map(),
		publicAssets: /* @__PURE__ */ new Map(),
		endpoints: /* @__PURE__ */ new Map(),
		deliveries: /* @__PURE__ */ new Map(),
		audits: [],
		events: [],
		schedules: /* @__PURE__ */ new Map(),
		/** Ads by decision token. */
		decisions: /* @__PURE__ */ new Map(),
		nextRejections: [],
		nextDeliveryErrors: [],
		nextFailures: [],
		/** Outcome by operation and key. */
		outcomes: /* @__PURE__ */ new Map(),
		limits: { ...options.limits },
		used: /* @__PURE__ */ new Map(),
		requests: [],
		notifications: []
	};
}
/** Spends units of a quota. Returns the details of the error if the quota is exhausted, otherwise null. */
function spend({ limits, used }, resource, units) {
	const before = used.get(resource) ?? 0;
	const limit = limits[resource] ?? (resource === "storage_bytes" ? limitByDefault * 1e6 : limitByDefault);
	if (before + units > limit) return {
		resource,
		used: before,
		limit: Math.max(1, limit),
		retry_after_seconds: 1
	};
	used.set(resource, before + units);
	return null;
}
// libs/client/src/testing/files-handlers.ts
function fileOf({ files }, id) {
	return found(files.get(id ?? ""), "file_object_not_found");
}
function availableFile(state, id) {
	const file = fileOf(state, id);
	check(file.status === "available", "file_object_not_available");
	return file;
}
const filesHandlers = {
	"files.createUploadGrant": ({ files, uploads }, { body }) => {
		const file = {
			id: newId(),
			...body,
			status: "pending_upload",
			rejection_reason: null
		};
		const upload_token = newToken();
		files.set(file.id, file);
		uploads.set(upload_token, file);
		return { data: {
			file_object_id: file.id,
			upload_token,
			expires_at: inHours(1)
		} };
	},
	"files.uploadFile": (state, { params, bytes, contentType }) => {
		const { uploadToken = "" } = params;
		const file = found(state.uploads.get(uploadToken), "upload_token_invalid");
		state.uploads.delete(uploadToken);
		check(contentType === "application/octet-stream" || contentType === file.expected_content_type, "upload_content_type_mismatch");
		check(bytes.byteLength <= file.maximum_bytes, "upload_too_large");
		check(bytesToHex(sha256(bytes)) === file.expected_sha256, "upload_checksum_mismatch");
		Object.assign(file, {
			status: "quarantined",
			bytes
		});
		return { data: { file_object_id: file.id } };
	},
	"files.completeFileObject": (state, { params }) => {
		const file = fileOf(state, params.fileObjectId);
		check(file.status !== "pending_upload", "file_object_not_uploaded");
		if (file.status === "quarantined") {
			const rejection_reason = state.nextRejections.shift() ?? null;
			Object.assign(file, {
				status: rejection_reason === null ? "available" : "rejected",
				rejection_reason
			});
		}
		return { data: {
			id: file.id,
			status: file.status,
			rejection_reason: file.rejection_reason
		} };
	},
	"files.createDownloadGrant": (state, { params }) => {
		const file = availableFile(state, params.fileObjectId);
		const type = encodeURIComponent(file.expected_content_type);
		const download_url = `https://platform.example.com/api/v1/file-downloads/${file.id}?type=${type}`;
		return { data: {
			grant_id: newId(),
			download_url,
			expires_at: inHours(.25)
		} };
	},
	"files.createPublicAsset": (state, { params, body }) => {
		const file = availableFile(state, params.fileObjectId);
		check(file.expected_content_type.startsWith("image/"), "file_object_not_image");
		check(body.image_preset_id === state.imagePresetId, "image_preset_not_found");
		const known = state.publicAssets.get(file.id);
		const sha = file.expected_sha256;
		const asset = known ?? {
			id: newId(),
			version: 1,
			url: `https://platform.example.com/api/v1/public-assets/${sha}`,
			sha256: sha
		};
		state.publicAssets.set(file.id, asset);
		return { data: asset };
	}
};
// libs/client/src/testing/identity-handlers.ts
function transactionOf({ transactions }, id) {
	const transaction = found(transactions.get(id ?? ""), "identity_migration_transaction_not_found");
	if (transaction.status !== "completed" && transaction.expires_at < (/* @__PURE__ */ new Date()).toISOString()) transaction.status = "expired";
	return transaction;
}
/** The transaction, when it has not expired and the flow token is its own. */
function openTransaction(state, id, flowToken) {
	const transaction = transactionOf(state, id);
	check(transaction.status !== "expired", "identity_migration_transaction_expired");
	if (flowToken !== void 0) check(transaction.flow_token === flowToken, "flow_token_invalid");
	return transaction;
}
const withoutToken = ({ flow_token: _kept, ...transaction }) => transaction;
const identityHandlers = {
	"identity.getProjectClient": ({ projectClient }) => ({ data: projectClient }),
	"identity.createIdentityMigrationTransaction": ({ transactions, projectClient }, { body }) => {
		check(body.project_client_id === projectClient.id, "project_client_mismatch");
		const transaction = {
			id: newId(),
			...body,
			status: "pending",
			account_id: null,
			flow_token: newToken()
		};
		transactions.set(transaction.id, transaction);
		return { data: transaction };
	},
	"identity.getIdentityMigrationTransaction": (state, { params }) => ({ data: withoutToken(transactionOf(state, params.transactionId)) }),
	"identity.createHostedContinuation": (state, { params, body }) => {
		check(openTransaction(state, params.transactionId, body.flow_token).status === "pending", "identity_migration_state_conflict");
		check(state.returnUris === null || state.returnUris.includes(body.return_uri), "return_uri_not_allowed");
		return { data: {
			id: newId(),
			continuation_token: newToken(),
			expires_at: inHours(.25)
		} };
	},
	"identity.continueIdentityMigration": () => null,
	"identity.linkIdentityMigrationTransaction": (state, { params, body, accountId }) => {
		const transaction = openTransaction(state, params.transactionId, body.flow_token);
		if (transaction.account_id === null) Object.assign(transaction, {
			status: "link_pending",
			account_id: accountId
		});
		check(transaction.account_id === accountId, "account_already_linked");
		return { data: withoutToken(transaction) };
	},
	"identity.confirmLink": (state, { params }) => {
		const transaction = openTransaction(state, params.transactionId);
		check(transaction.status !== "pending", "identity_migration_state_conflict");
		transaction.status = "completed";
		return { data: withoutToken(transaction) };
	},
	"identity.requestEmailVerification": (state, { params, body }) => {
		const transaction = openTransaction(state, params.transactionId, body.flow_token);
		state.mailedTokens.set(transaction.id, newToken());
		return { data: { status: "verification_pending" } };
	},
	"identity.verifyEmail": ({ mailedTokens }, { params }) => {
		const { transactionId = "", token } = params;
		check(mailedTokens.get(transactionId) === token, "verification_link_invalid");
		mailedTokens.delete(transactionId);
		return { data: { status: "verified" } };
	}
};
// libs/client/src/testing/notify-handlers.ts
function endpointOf({ endpoints }, id) {
	return found(endpoints.get(id ?? ""), "delivery_endpoint_not_found");
}
const shown = ({ id, channel, status, verified_at, consents }) => ({ data: {
	id,
	channel,
	status,
	verified_at,
	consents: [...consents]
} });
/** The endpoint of this address, or a new one. */
function registered({ endpoints }, channel, address) {
	const known = [...endpoints.values()].find((one) => one.channel === channel && one.address === address);
	if (known !== void 0 && known.status !== "revoked") return known;
	const endpoint = known ?? {
		id: newId(),
		channel,
		address
	};
	Object.assign(endpoint, {
		status: "pending",
		verified_at: null,
		consents: [],
		token: newToken()
	});
	endpoints.set(endpoint.id, endpoint);
	return endpoint;
}
function prove(endpoint, token) {
	check(endpoint.status !== "revoked", "delivery_endpoint_revoked");
	check(endpoint.token === token, "verification_token_invalid");
	Object.assign(endpoint, {
		status: "verified",
		verified_at: (/* @__PURE__ */ new Date()).toISOString(),
		token: null
	});
}
function send$1(state, endpoint, body) {
	check(endpoint.status === "verified", "delivery_endpoint_not_verified");
	const delivery = {
		id: newId(),
		channel: endpoint.channel,
		error: state.nextDeliveryErrors.shift() ?? null
	};
	state.deliveries.set(delivery.id, delivery);
	state.notifications.push({
		deliveryId: delivery.id,
		endpointId: endpoint.id,
		templateKey: body.template_key,
		locale: body.locale,
		variables: body.variables
	});
	return { data: {
		intent_id: newId(),
		delivery_id: delivery.id,
		status: "pending"
	} };
}
/** Digest of entries; their order does not matter. */
const digestOf = (entries) => bytesToHex(sha256(utf8ToBytes(JSON.stringify(entries.map((entry) => JSON.stringify(entry)).sort()))));
const hasConsent = (endpoint, purpose) => endpoint.consents.some((one) => one.purpose === purpose && one.granted);
const notifyHandlers = {
	"notify.validateNotificationCatalog": (_state, { body }) => ({ data: {
		entries: body.entries.length,
		digest: digestOf(body.entries)
	} }),
	"notify.registerEmailDeliveryEndpoint": (state, { body }) => {
		const { id, status, token } = registered(state, "email", body.address.normalize("NFC").toLowerCase());
		return { data: {
			id,
			status,
			verification_token: token
		} };
	},
	"notify.verifyEmailDeliveryEndpoint": (state, { params, body }) => {
		const endpoint = endpointOf(state, params.endpointId);
		prove(endpoint, body.token);
		return { data: {
			id: endpoint.id,
			status: "verified"
		} };
	},
	"notify.createNotificationIntent": (state, { body }) => {
		const endpoint = endpointOf(state, body.endpoint_id);
		check(endpoint.channel === "email", "channel_mismatch");
		return send$1(state, endpoint, body);
	},
	"notify.createChannelNotificationIntent": (state, { body }) => {
		const endpoint = endpointOf(state, body.endpoint_id);
		check(endpoint.status !== "revoked", "delivery_endpoint_revoked");
		check(endpoint.channel !== "email", "channel_mismatch");
		check(endpoint.status === "verified", "delivery_endpoint_not_verified");
		check(hasConsent(endpoint, body.purpose), "consent_required");
		return send$1(state, endpoint, body);
	},
	"notify.registerDeliveryEndpoint": (state, { body }) => shown(registered(state, body.channel, body.identifier)),
	"notify.verifyDeliveryEndpoint": (state, { params, body }) => {
		const endpoint = endpointOf(state, params.endpointId);
		prove(endpoint, body.token);
		return shown(endpoint);
	},
	"notify.getDeliveryEndpoint": (state, { params }) => shown(endpointOf(state, params.endpointId)),
	"notify.revokeDeliveryEndpoint": (state, { params }) => {
		const endpoint = endpointOf(state, params.endpointId);
		const consents = endpoint.consents.map(({ purpose }) => ({
			purpose,
			granted: false
		}));
		Object.assign(endpoint, {
			status: "revoked",
			consents
		});
		return shown(endpoint);
	},
	"notify.setDeliveryConsent": (state, { params, body }) => {
		const endpoint = endpointOf(state, params.endpointId);
		if (endpoint.status === "revoked") throw new Refusal("delivery_endpoint_revoked");
		endpoint.consents = [...endpoint.consents.filter(({ purpose }) => purpose !== params.purpose), {
			purpose: params.purpose,
			granted: body.granted
		}];
		return shown(endpoint);
	},
	"notify.getNotificationDelivery": ({ deliveries }, { params }) => {
		const { id, channel, error } = found(deliveries.get(params.deliveryId ?? ""), "notification_delivery_not_found");
		const isSent = error === null;
		return { data: {
			id,
			channel,
			status: isSent ? "sent" : "failed",
			attempts: 1,
			provider_status: isSent ? "accepted" : "refused",
			last_error_code: error
		} };
	}
};
// libs/client/src/testing/handlers.ts
const thresholds = {
	display: [5e3, 1e3],
	display_large: [3e3, 1e3],
	video: [5e3, 2e3]
};
const handlers = {
	"edge.getHealth": () => ({ data: {
		status: "ok",
		release: contractRelease,
		components: []
	} }),
	"edge.noop": (_state, { body, idempotencyKey, correlationId }) => ({
		data: {
			money: body.money,
			status: "completed"
		},
		meta: {
			release: contractRelease,
			idempotency_key: idempotencyKey,
			correlation_id: correlationId,
			replayed: false
		}
	}),
	...identityHandlers,
	...filesHandlers,
	...notifyHandlers,
	"events.createProjectAudit": ({ audits }, { body }) => {
		const audit = {
			id: newId(),
			...body
		};
		audits.push(audit);
		return { data: { id: audit.id } };
	},
	"events.publishDomainEvent": ({ events, projectClient }, { body }) => {
		const { stream_id = null, sequence = null, occurred_at = null, ...rest } = body;
		if (events.some((other) => stream_id !== null && other.stream_id === stream_id && other.sequence === sequence)) throw new Refusal("stream_sequence_conflict");
		const published_at = (/* @__PURE__ */ new Date()).toISOString();
		const event = {
			id: newId(),
			project_client_id: projectClient.id,
			...rest,
			stream_id,
			sequence,
			occurred_at,
			published_at
		};
		events.push(JSON.parse(JSON.stringify(event)));
		return { data: event };
	},
	"events.registerScheduledOperation": ({ schedules }, { body }) => {
		const id = newId();
		schedules.set(id, {
			id,
			...body
		});
		return { data: { id } };
	},
	"ads.recordViewableImpression": ({ decisions }, { body }) => {
		const decision = decisions.get(body.token);
		if (decision === void 0) throw new Refusal("decision_token_invalid");
		const [ratio = 0, durationMs = 0] = thresholds[decision.format] ?? [];
		if (body.visible_ratio_basis_points < ratio || body.duration_milliseconds < durationMs) throw new Refusal("viewability_not_met");
		const recorded = !decision.isRecorded;
		decision.isRecorded = true;
		return { data: {
			recorded,
			charged_minor: recorded ? 1 : 0,
			destination_url: "https://shop.example.com/",
			attribution_token: null
		} };
	}
};
// libs/client/src/testing/answer.ts
const prefix = "/api/v1";
const routes = operationList.map((operation) => ({
	operation,
	pattern: new RegExp(`^${operation.path.replace(/\{[^}]+\}/g, "([^/]+)")}$`),
	names: [...operation.path.matchAll(/\{([^}]+)\}/g)].map(([, name = ""]) => name)
}));
/** Responds to one request as the platform would: route, credential, schemas, quota, key, operation. */
async function answer(state, request) {
	const correlationId = correlationIdOf(request);
	const path = new URL(request.url).pathname;
	const matching = routes.filter(({ pattern }) => path.startsWith(prefix) && pattern.test(path.slice(7)));
	const route = matching.find(({ operation }) => operation.method === request.method);
	if (route === void 0) return errorAnswer(new Refusal(matching.length === 0 ? "route_not_found" : "method_not_allowed"), null, correlationId);
	const { operation, names } = route;
	const [, ...values] = route.pattern.exec(path.slice(7)) ?? [];
	const params = Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(values[index] ?? "")]));
	const seen = {
		operationId: operation.id,
		params,
		body: null,
		exact: null,
		idempotencyKey: request.headers.get("idempotency-key")
	};
	const response = await carryOut(state, request, operation, seen, correlationId).catch((error) => {
		if (error instanceof Refusal) return errorAnswer(error, operation, correlationId);
		throw error;
	});
	const { exact: _, ...shown } = seen;
	state.requests.push({
		...shown,
		status: response.status
	});
	return response;
}
async function carryOut(state, request, operation, seen, correlationId) {
	const accountId = authenticate(state, request, operation);
	const bytes = new Uint8Array(await request.arrayBuffer());
	Object.assign(seen, bodyOf(operation, request, bytes));
	const { params, body, idempotencyKey } = validated(operation, seen);
	const failing = state.nextFailures.findIndex(({ operationId }) => operationId === operation.id);
	if (failing >= 0) throw new Refusal(state.nextFailures.splice(failing, 1)[0]?.code);
	const contentType = (request.headers.get("content-type") ?? "").split(";")[0] ?? "";
	const run = () => {
		spendQuotas(state, operation, body);
		const handler = handlers[operation.id];
		return readJson(JSON.stringify(handler(state, {
			params,
			body,
			bytes,
			contentType,
			idempotencyKey,
			correlationId,
			accountId
		}))).exact;
	};
	if (operation.idempotency === null) return success(operation, run(), correlationId, false);
	const name = `${operation.id} ${idempotencyKey}`;
	const sent = JSON.stringify([params, body]);
	const known = state.outcomes.get(name);
	if (known === void 0) {
		const outcome = run();
		state.outcomes.set(name, {
			request: sent,
			status: operation.status,
			body: outcome
		});
		return success(operation, outcome, correlationId, false);
	}
	check(known.request === sent, "idempotency_key_reused");
	if (operation.idempotency.replay === "refuse") throw new Refusal("upload_grant_already_issued");
	return success(operation, replayed(known.body, correlationId), correlationId, operation.idempotency.replay === "outcome");
}
/** A replay is marked in its `meta`, if it has one. */
function replayed(body, correlationId) {
	const { meta } = body;
	return meta === void 0 ? body : {
		...body,
		meta: {
			...meta,
			replayed: true,
			correlation_id: correlationId
		}
	};
}
/** Checks the credential, and returns the account of a Platform Session. */
function authenticate({ credential, sessions, projectClient }, request, operation) {
	const presented = /^Bearer (\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
	const { auth } = operation;
	if (auth.scheme === "none") return "";
	if (auth.scheme === "platformSession") {
		const accountId = sessions.get(presented ?? "");
		if (accountId === void 0) throw new Refusal("unauthenticated");
		return accountId;
	}
	check(presented === credential, "unauthenticated");
	if (!projectClient.scopes.includes(auth.scope)) throw new Refusal("insufficient_scope", { required_scope: auth.scope });
	return "";
}
/**
* True if this runtime can keep a number's digits (`JSON.rawJSON`, from Node 21 on). Without it, a number beyond a
* double is returned as null.
*/
const keepsDigits = "rawJSON" in JSON;
function readJson(text) {
	const body = JSON.parse(text);
	return {
		body,
		exact: keepsDigits ? parseExactly(text) : body
	};
}
function bodyOf({ body, rawBody }, request, bytes) {
	if (body === null) return {
		body: null,
		exact: null
	};
	const type = (request.headers.get("content-type") ?? "").split(";")[0]?.trim();
	const text = new TextDecoder().decode(bytes);
	if (rawBody !== void 0) {
		const fields = Object.fromEntries(new URLSearchParams(text));
		return {
			body: fields,
			exact: fields
		};
	}
	check(type === "application/json", "unsupported_media_type");
	try {
		return readJson(text);
	} catch {
		throw new Refusal("contract_violation", { violations: [{
			path: "/",
			code: "invalid_json",
			message: "must be JSON"
		}] });
	}
}
/** Parameters, key and body as handlers see them, or all violations. */
function validated({ params, body, idempotency }, sent) {
	const key = sent.idempotencyKey ?? void 0;
	const results = {
		params: params === null ? null : validate(params, sent.params, "path:"),
		key: idempotency === null ? null : validate(idempotencyKeyHeader(idempotency.maxLength), key, "header:Idempotency-Key"),
		body: body === null ? null : validate(body, sent.body)
	};
	const violations = Object.values(results).flatMap((one) => one?.ok === false ? one.violations : []);
	if (body !== null) violations.push(...changedNumberViolations(sent.exact, body, violations));
	if (violations.length > 0) throw new Refusal("contract_violation", { violations });
	if (results.body?.ok && body !== null) keepExactMembers(results.body.value, body, sent.exact);
	return {
		params: results.params?.ok ? results.params.value : {},
		body: results.body?.ok ? results.body.value : {},
		idempotencyKey: key ?? ""
	};
}
function spendQuotas(state, { auth, quota }, body) {
	const costs = [...auth.scheme === "projectCredential" ? [["api_traffic", 1]] : [], ...quota === null ? [] : [[quota.resource, quota.amount === 1 ? 1 : body[quota.amount.bodyField]]]];
	for (const [resource, units] of costs) {
		const refused = spend(state, resource, units);
		if (refused !== null) throw new Refusal("platform_quota_exceeded", refused);
	}
}
function correlationIdOf(request) {
	const sent = validate(correlationIdHeader, request.headers.get("x-correlation-id") ?? void 0);
	return sent.ok ? sent.value : newId();
}
function success(operation, body, correlationId, isReplayed) {
	const headers = {
		"x-correlation-id": correlationId,
		...isReplayed ? { "idempotency-replayed": "true" } : {}
	};
	if (operation.response !== null) return Response.json(body, {
		status: operation.status,
		headers
	});
	return new Response(null, {
		status: operation.status,
		headers: {
			...headers,
			location: "/api/v1/identity-migration/start"
		}
	});
}
function errorAnswer({ code, details }, operation, correlationId) {
	const { meaning: message, retryable } = errorCodes[code];
	const status = errorStatus(code, operation);
	const error = {
		code,
		message,
		retryable,
		correlation_id: correlationId,
		details
	};
	const headers = {
		"x-correlation-id": correlationId,
		...status === 429 || status === 503 || code === "idempotency_in_progress" ? { "retry-after": "1" } : {}
	};
	return Response.json({ error }, {
		status,
		headers
	});
}
// libs/client/src/testing/listen.ts
/** Serves the responses of `answer` on a free loopback port. */
async function listen(answer) {
	const server = createServer(async (incoming, outgoing) => {
		const headers = Object.entries(incoming.headers).flatMap(([name, value]) => value === void 0 ? [] : [[name, String(value)]]);
		const body = await buffer(incoming);
		const response = await answer(new Request(`http://127.0.0.1${incoming.url}`, {
			method: incoming.method ?? "GET",
			headers,
			...body.byteLength === 0 ? {} : { body }
		}));
		outgoing.writeHead(response.status, Object.fromEntries(response.headers));
		outgoing.end(Buffer.from(await response.arrayBuffer()));
	});
	await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
	return {
		baseUrl: `http://127.0.0.1:${server.address().port}`,
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		}
	};
}
// libs/client/src/testing/signed-calls.ts
/** Sends a call to a registered endpoint, signed with its secret. */
async function send(schedule, id, type, body, target = fetch) {
	const text = JSON.stringify(body);
	const now = /* @__PURE__ */ new Date();
	const webhook = schedule.secret.startsWith("whsec_") ? new Webhook(schedule.secret) : new Webhook(new TextEncoder().encode(schedule.secret), { format: "raw" });
	const headers = {
		"content-type": type,
		"webhook-id": id,
		"webhook-timestamp": `${Math.floor(now.getTime() / 1e3)}`,
		"webhook-signature": webhook.sign(id, now, text)
	};
	return target(new Request(schedule.url, {
		method: "POST",
		headers,
		body: text
	}));
}
function callScheduled({ schedules }, operationId, target) {
	const schedule = found(schedules.get(operationId), "route_not_found");
	const invocation_id = newId();
	const scheduled_for = (/* @__PURE__ */ new Date()).toISOString();
	return send(schedule, invocation_id, "application/json", {
		operation_id: operationId,
		name: schedule.name,
		invocation_id,
		scheduled_for,
		attempt: 1
	}, target);
}
function sendEvent({ schedules, projectClient, events }, operationId, event, target) {
	const schedule = found(schedules.get(operationId), "route_not_found");
	const id = newId();
	const time = (/* @__PURE__ */ new Date()).toISOString();
	return send(schedule, id, "application/cloudevents+json", {
		specversion: "1.0",
		id,
		source: event.source ?? `/project-clients/${projectClient.id}`,
		type: event.type,
		time,
		datacontenttype: "application/json",
		publishedtime: time,
		schemaversion: "1",
		position: `${events.length + 1}`,
		data: event.data
	}, target);
}
// libs/client/src/testing/index.ts
const createFakePlatform = (options = {}) => {
	const state = newState(options);
	const serve = (request) => answer(state, request);
	return {
		baseUrl: "http://platform.test",
		projectClientId: state.projectClient.id,
		credential: state.credential,
		imagePresetId: state.imagePresetId,
		fetch: async (input, init) => serve(new Request(input, init)),
		listen: () => listen(serve),
		requests: state.requests,
		events: state.events,
		notifications: state.notifications,
		failNext: (operationId, code, times = 1) => {
			for (let time = 0; time < times; time += 1) state.nextFailures.push({
				operationId,
				code
			});
		},
		setLimit: (resource, limit) => {
			state.limits[resource] = limit;
		},
		rejectNextUpload: (reason) => void state.nextRejections.push(reason),
		failNextDelivery: (lastErrorCode) => void state.nextDeliveryErrors.push(lastErrorCode),
		linkAccount: (transactionId) => {
			const account_id = newId();
			const transaction = found(state.transactions.get(transactionId), "identity_migration_transaction_not_found");
			Object.assign(transaction, {
				status: "link_pending",
				account_id
			});
			return account_id;
		},
		createSession: () => {
			const session = `psess_${newToken().slice(0, 32)}_${newToken()}`;
			state.sessions.set(session, newId());
			return session;
		},
		verificationToken: (endpointId) => found(state.endpoints.get(endpointId), "delivery_endpoint_not_found").token ?? "",
		verificationLinkToken: (transactionId) => found(state.mailedTokens.get(transactionId), "verification_link_invalid"),
		decideAd: (format = "display") => {
			const token = `fake.${newToken()}`;
			state.decisions.set(token, {
				format,
				isRecorded: false
			});
			return token;
		},
		callScheduled: (operationId, target) => callScheduled(state, operationId, target),
		sendEvent: (operationId, event, target) => sendEvent(state, operationId, event, target)
	};
};
export { createFakePlatform };
