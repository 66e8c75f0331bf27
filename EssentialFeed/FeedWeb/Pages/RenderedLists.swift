package import Foundation
import Synchronization

/// The lists that were rendered last, so that all readers who have them open get the same HTML.
///
/// A long list of comments takes tens of milliseconds, and a thousand pages may wait for it. The images of a page take
/// most of its time.
package final class RenderedLists<Key: Hashable & Sendable, Content: Equatable & Sendable, HTML: Sendable>: Sendable {
    /// The number of lists that are kept.
    private static var limit: Int { 32 }

    /// The time during which ages stay as they are, in seconds.
    private static var lifetime: TimeInterval { 5 }

    private struct List {
        let content: Content
        let date: Date
        let html: Task<HTML, any Error>
    }

    private let lists = Mutex<[Key: List]>([:])

    package init() {}

    /// Returns the HTML of a list, which `render` creates unless it exists already.
    ///
    /// Others wait for a list that is being rendered, without a lock, so that other lists do not wait for it.
    ///
    /// - Parameter key: What determines the HTML beside the content.
    package func html(
        of content: Content,
        as key: Key,
        at date: Date,
        render: @escaping @Sendable () async throws -> HTML
    ) async throws -> HTML {
        let html = lists.withLock { lists in
            if let list = lists[key], abs(date.timeIntervalSince(list.date)) < Self.lifetime, list.content == content {
                return list.html
            }
            if lists[key] == nil, lists.count >= Self.limit,
                let oldest = lists.min(by: { $0.value.date < $1.value.date })
            {
                lists[oldest.key] = nil
            }
            let html = Task { try await render() }
            lists[key] = List(content: content, date: date, html: html)
            return html
        }
        do {
            return try await html.value
        } catch {
            lists.withLock { if $0[key]?.html == html { $0[key] = nil } }
            throw error
        }
    }
}
