import Duet
import FeedFeature

/// Loads the bytes of many images, a few at a time, which caches them.
struct ImageBatchLoader {
    /// The number of images that are loaded concurrently; as many as a browser requests from one server.
    private static let concurrency = 6

    let dispatcher: any QueryDispatcher

    /// Loads the smallest versions of images, and returns the number of those that failed.
    ///
    /// A failed image does not end the others.
    func load(_ images: [FeedImage]) async -> Int {
        await withTaskGroup(of: Bool.self) { [dispatcher] group in
            var waiting = images.makeIterator()
            var (done, missing) = (0, 0)
            func startNext() {
                guard let image = waiting.next() else { return }
                let url = image.versions.first?.url ?? image.url
                group.addTask { (try? await dispatcher.dispatch(LoadImageData(url: url))) != nil }
            }
            func report() {
                if done.isMultiple(of: 100) {
                    Terminal.progress("Loading images", done: done, total: images.count)
                }
            }
            report()
            for _ in 0..<Self.concurrency { startNext() }
            while let isLoaded = await group.next() {
                startNext()
                done += 1
                if !isLoaded { missing += 1 }
                report()
            }
            return missing
        }
    }
}
