package import Foundation

/// Returns the location of an executable of this package, which is built beside the tests.
package func builtExecutable(_ name: String) -> URL {
    let tests = Bundle.allBundles.first { $0.bundleURL.pathExtension == "xctest" }
    let folder = tests?.bundleURL.deletingLastPathComponent() ?? Bundle.main.bundleURL
    return folder.appending(component: name)
}
