/// A type whose JSON has every key, null if there is no value; other types omit the key.
package protocol EncodableWithNulls: Encodable {}
