package import Foundation

/// Returns the location of a file of this package, by its path in the repository.
package func projectFile(_ path: String) -> URL {
    URL(filePath: #filePath).appending(path: "../../../../\(path)").standardized
}
