import DuetMacros
import FeedFeature
import Foundation
import Logging

/// The pages, created for one request, so that failures are logged with the request's logger.
@Resolvable
struct FeedPages {
    let dispatcher: any QueryDispatcher
    let images: ImageIndex
    let now: CurrentDate
    let calendar: Calendar
    let logger: Logger
}
