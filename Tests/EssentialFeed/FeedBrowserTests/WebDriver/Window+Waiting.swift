import DuetHTTP
import Foundation

extension Window {
    /// Waits until an expression, or its promise, is true in the page, also while another page is being opened.
    ///
    /// - Throws: ``PageTimeout`` after two minutes, with a description of the page. At the time limit of a test, the
    ///   error would be dropped.
    func wait(until expression: String) async throws {
        try await poll(within: .seconds(120)) {
            // A page that is left, or whose document is incomplete, has no value.
            (try? await value(of: "Promise.resolve(\(expression)).then(Boolean)"))?.isTrue == true ? () : nil
        } orThrow: {
            PageTimeout(condition: expression, page: await testDescription)
        }
    }

    /// A description of the page, for the report of a failure.
    var testDescription: String {
        get async {
            let description = try? await value(
                of: """
                    [location.href, document.title, 'focus: ' + (document.activeElement?.outerHTML ?? '').slice(0, 200),
                        'window: ' + [innerWidth, innerHeight, 'scrolled', scrollX, scrollY].join(' '),
                        document.body.innerText, document.querySelector('main')?.outerHTML.slice(0, 1500)].join('\\n')
                    """
            )
            return description?.string ?? "The page does not respond."
        }
    }
}

/// A condition that a page did not meet in time, and what the page looked like then.
struct PageTimeout: Error, CustomStringConvertible {
    let condition: String
    let page: String

    var description: String { "This did not become true: \(condition)\nThe page:\n\(page)" }
}
