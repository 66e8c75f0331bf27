import FeedFeature
package import Foundation

/// The files of a store: a main file, and others named after it with a suffix.
package struct StoreLocations: Sendable {
    private let main: URL
    private let suffixes: [String]

    package init(_ main: URL, suffixes: [String] = []) {
        self.main = main
        self.suffixes = suffixes
    }

    /// The lock that excludes other processes.
    ///
    /// Its file is beside the store, because the store itself may be moved.
    package func lock(timeout: Duration) -> FileLock {
        FileLock(main.appending("lock", after: "."), protecting: main, timeout: timeout)
    }

    /// Creates the store's folder.
    ///
    /// - Throws: ``FeedStoreError/folderUnavailable(path:underlying:)``.
    package func makeFolder() throws {
        let folder = main.deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw FeedStoreError.folderUnavailable(path: folder.path, underlying: error)
        }
    }

    /// Renames the files to the first free name such as `name.unreadable-1`, and returns it.
    ///
    /// - Throws: ``FeedStoreError/failed(path:underlying:)``.
    package func moveAside() throws -> URL {
        // A device is never an old cache, and other programs need it.
        guard !main.isSpecialFile else { throw FeedStoreError.failed(path: main.path, underlying: SpecialFile()) }
        let files = FileManager.default
        var number = 1
        var target: URL
        repeat {
            target = main.appending("unreadable-\(number)", after: ".")
            number += 1
        } while ([""] + suffixes).contains { files.fileExists(atPath: target.path + $0) }
        do {
            for suffix in suffixes + [""] where files.fileExists(atPath: main.path + suffix) {
                try files.moveItem(atPath: main.path + suffix, toPath: target.path + suffix)
            }
        } catch {
            throw FeedStoreError.failed(path: main.path, underlying: error)
        }
        return target
    }
}

/// A device, a pipe or the like is in the place of a file or a folder.
private struct SpecialFile: Error, CustomStringConvertible {
    let description = "It is neither a file nor a folder"
}

extension URL {
    fileprivate func appending(_ suffix: String, after separator: String) -> URL {
        deletingLastPathComponent().appending(component: lastPathComponent + separator + suffix)
    }
}
