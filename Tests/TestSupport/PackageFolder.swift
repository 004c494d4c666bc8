/// The folder of the package.
package let packageFolder = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
